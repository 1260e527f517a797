/// A configuration file: `key = value` lines, `#` comments, `[section]` lines.
struct ConfigurationFile: Sendable {
    /// The values of the part before the first section, by the name of the setting.
    private(set) var values: [String: String] = [:]

    /// What is wrong with a file, and in which line.
    struct Fault: Error, Sendable, Hashable {
        let line: Int
        let message: String
    }

    /// Reads the text of a file; an unknown key is an error, so that a misspelt one is not silently without effect.
    init(parsing text: String) throws(Fault) {
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            let content = Self.withoutComment(line).trimmed
            if content.isEmpty { continue }
            if content.hasPrefix("[") {
                throw Fault(line: index + 1, message: "no section is known: \(content)")
            }
            guard let equals = content.firstIndex(of: "=") else {
                throw Fault(line: index + 1, message: "not of the form key = value: \(content)")
            }
            let key = content[..<equals].trimmed
            let value = content[content.index(after: equals)...].trimmed
            guard let setting = SettingTable.setting(named: String(key)),
                setting.name != SettingName.config.rawValue
            else {
                let known = SettingTable.all.map(\.name).filter { $0 != SettingName.config.rawValue }
                let suggestion = Suggestion.text(for: String(key), among: known)
                throw Fault(line: index + 1, message: "unknown key '\(key)'\(suggestion)")
            }
            if let objection = setting.objection(to: String(value)) {
                throw Fault(line: index + 1, message: "\(key) \(objection)")
            }
            values[setting.name] = String(value)
        }
    }

    /// A `#` begins a comment at the start of a line or after a blank, so that it may stand in an address.
    private static func withoutComment(_ line: Substring) -> Substring {
        var previous: Character = " "
        for index in line.indices {
            if line[index] == "#", previous.isWhitespace { return line[..<index] }
            previous = line[index]
        }
        return line
    }
}
