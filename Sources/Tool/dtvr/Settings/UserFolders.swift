/// The user's folders, as the XDG Base Directory Specification has them: a variable that is empty, or holds a relative
/// path, counts as unset.
struct UserFolders {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// Where configuration lies; nil where nothing tells.
    var configuration: String? { folder("XDG_CONFIG_HOME", belowHome: ".config") }

    /// Where what programs keep lies; nil where nothing tells.
    var state: String? { folder("XDG_STATE_HOME", belowHome: ".local/state") }

    private func folder(_ variable: String, belowHome name: String) -> String? {
        if let path = environment[variable], path.hasPrefix("/") { return path }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return "\(home)/\(name)"
    }
}
