/// On and off, as people write them.
package enum ToggleText {
    /// Whether a word means on; nil for a word that means neither.
    package static func isOn(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: nil
        }
    }
}
