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
