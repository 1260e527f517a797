import TextForms

/// A configuration file: `key = value` lines and `#` comments.
struct ConfigurationFile: Sendable {
    /// The values by setting name.
    private(set) var values: [String: String] = [:]

    /// Parses the text of a file; an unknown key is an error, so that a misspelled key does not go unnoticed.
    init(parsing text: String) throws(ConfigurationText.Fault) {
        let text = try ConfigurationText(parsing: text)
        if let section = text.sections.first {
            throw .init(line: section.line, message: "sections are not supported: [\(section.name)]")
        }
        for entry in text.entries {
            guard let setting = SettingTable.setting(named: entry.key),
                setting.name != SettingName.config.rawValue
            else {
                let known = SettingTable.all.map(\.name).filter { $0 != SettingName.config.rawValue }
                let suggestion = Suggestion.text(for: entry.key, among: known)
                throw .init(line: entry.line, message: "unknown key '\(entry.key)'\(suggestion)")
            }
            if let objection = setting.objection(to: entry.value) {
                throw .init(line: entry.line, message: "\(entry.key) \(objection)")
            }
            values[setting.name] = entry.value
        }
    }
}
