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
            guard let key = ConfigurationKey.named(entry.key), key.name != Setting.config.name else {
                let known = ConfigurationKey.all.map(\.name).filter { $0 != Setting.config.name }
                let suggestion = Suggestion.text(for: entry.key, among: known)
                throw .init(line: entry.line, message: "unknown key '\(entry.key)'\(suggestion)")
            }
            if let objection = key.objection(to: entry.value) {
                throw .init(line: entry.line, message: "\(entry.key) \(objection)")
            }
            values[key.name] = entry.value
        }
    }

    /// Reads the file at a path that the user named, or else the user's own; nil if the user has none.
    ///
    /// - Parameter readFile: Returns the text of the file at a path, or nil if the file is missing.
    static func read(
        _ named: String?, environment: [String: String], readFile: (String) throws(UsageError) -> String?
    ) throws(UsageError) -> ConfigurationFile? {
        let folder = UserFolders(environment).configuration
        guard let path = named ?? folder.map({ "\($0)/dtvr/config" }) else { return nil }
        guard let text = try readFile(path) else {
            if named != nil { throw UsageError("cannot read the configuration file '\(path)'") }
            return nil
        }
        do throws(ConfigurationText.Fault) {
            return try ConfigurationFile(parsing: text)
        } catch {
            throw UsageError("\(path):\(error.line): \(error.message)")
        }
    }
}

/// The user's folders according to the XDG Base Directory Specification.
///
/// An empty variable or one with a relative path counts as unset.
struct UserFolders {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// The folder for configuration, or nil if `HOME` is unset too.
    var configuration: String? { folder("XDG_CONFIG_HOME", belowHome: ".config") }

    /// The folder for program state, or nil if `HOME` is unset too.
    var state: String? { folder("XDG_STATE_HOME", belowHome: ".local/state") }

    private func folder(_ variable: String, belowHome name: String) -> String? {
        if let path = environment[variable], path.hasPrefix("/") { return path }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return "\(home)/\(name)"
    }
}
