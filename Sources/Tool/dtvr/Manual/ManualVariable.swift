/// An environment variable, other than those of the settings, that the manual describes.
struct ManualVariable: Sendable {
    let name: String
    let text: String
    /// Whether a command uses the variable.
    let isUsed: @Sendable (CommandName) -> Bool

    /// All variables, in the order of the manual pages.
    static let all: [ManualVariable] = [
        ManualVariable(
            name: "DTVR_TOKEN",
            text: "The bearer token itself, if neither --token-file nor DTVR_TOKEN_FILE names a file.",
            isUsed: { $0.has(.tokenFile) }),
        ManualVariable(
            name: "XDG_CONFIG_HOME",
            text: """
                The folder of configuration files; by default, $HOME/.config. A relative path counts as unset.
                """,
            isUsed: { $0.has(.config) }),
        ManualVariable(
            name: "XDG_STATE_HOME",
            text: """
                The folder of program state; by default, $HOME/.local/state. A relative path counts as unset.
                """,
            isUsed: { $0.has(.store) }),
        ManualVariable(
            name: "TMPDIR",
            text: "The folder for a copy of a buffer on a read-only file system; by default, /tmp.",
            isUsed: { $0 == .store }),
        ManualVariable(
            name: "http_proxy, https_proxy, no_proxy",
            text: "The proxies for requests, and the hosts to contact directly, as in curl(1).",
            isUsed: { $0.has(.cacert) }),
        ManualVariable(
            name: "NO_COLOR",
            text: "Any value but an empty one turns colors off, unless --color turns them on.",
            isUsed: { $0.has(.color) }),
        ManualVariable(
            name: "COLUMNS",
            text: "The width of tables and help texts; overrides the width of the terminal.",
            isUsed: { _ in true }),
        ManualVariable(
            name: "SOURCE_DATE_EPOCH",
            text: "The date of the pages, in seconds since 1970; by default, the current time.",
            isUsed: { $0 == .manual }),
    ]
}

extension CommandName {
    /// Returns whether the command accepts a setting.
    func has(_ setting: SettingName) -> Bool { setting.setting.commands.contains(self) }
}
