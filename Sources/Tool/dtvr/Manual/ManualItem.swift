/// An environment variable or a file that the manual describes.
struct ManualItem: Sendable {
    /// The name of the variable, or the path of the file.
    let name: String
    let text: String
    /// The name of the setting that the item belongs to: every command that takes it uses the item.
    ///
    /// Nil for an item of every command, and for one that a command declares.
    private let setting: String?

    init(_ name: String, _ text: String, of setting: Setting? = nil) {
        self.name = name
        self.text = text
        self.setting = setting?.name
    }

    /// Returns the environment variables of a command, other than those of its settings.
    static func variables(of command: CommandDeclaration) -> [ManualItem] {
        sharedVariables.filter { $0.isUsed(by: command) } + command.variables
    }

    /// Returns the files of a command.
    static func files(of command: CommandDeclaration) -> [ManualItem] {
        sharedFiles.filter { $0.isUsed(by: command) } + command.files
    }

    /// The environment variables of all commands.
    static var variables: [ManualItem] { sharedVariables + CommandRegistry.declarations.flatMap(\.variables) }

    /// The files of all commands.
    static var files: [ManualItem] { sharedFiles + CommandRegistry.declarations.flatMap(\.files) }

    private func isUsed(by command: CommandDeclaration) -> Bool {
        setting.map { command.setting(named: $0) != nil } ?? true
    }

    private static let sharedVariables = [
        ManualItem(
            "DTVR_TOKEN",
            "The bearer token itself, if neither --token-file nor DTVR_TOKEN_FILE names a file.",
            of: .tokenFile),
        ManualItem(
            "XDG_CONFIG_HOME",
            "The folder of configuration files; by default, $HOME/.config. A relative path counts as unset.",
            of: .config),
        ManualItem(
            "XDG_STATE_HOME",
            "The folder of program state; by default, $HOME/.local/state. A relative path counts as unset.",
            of: .store),
        ManualItem(
            "http_proxy, https_proxy, no_proxy",
            "The proxies for requests, and the hosts to contact directly, as in curl(1).", of: .cacert),
        ManualItem(
            "NO_COLOR", "Any value but an empty one turns colors off, unless --color turns them on.",
            of: .color),
        ManualItem(
            "TERM",
            "With dumb, nothing is colored, unless --color turns colors on, and no progress is shown.",
            of: .color),
        ManualItem(
            "COLUMNS", "The width of tables and help texts; overrides the width of the terminal."),
    ]

    private static let sharedFiles = [
        ManualItem(
            "$XDG_CONFIG_HOME/dtvr/config",
            """
            The configuration file, unless --config names another; ~/.config/dtvr/config if XDG_CONFIG_HOME is not \
            set. The file is optional. See dtvr-config(5).
            """,
            of: .config),
        ManualItem(
            "$XDG_STATE_HOME/dtvr/store",
            """
            The folder of the buffer, unless --store names another; ~/.local/state/dtvr/store if XDG_STATE_HOME is \
            not set. Only its owner can read it.
            """,
            of: .store),
    ]
}
