/// Parsing of Boolean words.
package enum ToggleText {
    /// Returns whether a word means on, or nil if it means neither on nor off.
    package static func isOn(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: nil
        }
    }
}
