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
            text: "The bearer token itself, where no file is named by --token-file or DTVR_TOKEN_FILE.",
            isUsed: { $0.has(.tokenFile) }),
        ManualVariable(
            name: "XDG_CONFIG_HOME",
            text: """
                The folder of configuration files, $HOME/.config unless set. A relative path counts as unset.
                """,
            isUsed: { $0.has(.config) }),
        ManualVariable(
            name: "XDG_STATE_HOME",
            text: """
                The folder of what programs keep, $HOME/.local/state unless set. A relative path counts as unset.
                """,
            isUsed: { $0.has(.store) }),
        ManualVariable(
            name: "TMPDIR",
            text: "The folder for a copy of a buffer that lies on a read-only file system, /tmp unless set.",
            isUsed: { $0 == .store }),
        ManualVariable(
            name: "http_proxy, https_proxy, no_proxy",
            text: "The proxies for requests, and the hosts that are asked directly, as in curl(1).",
            isUsed: { $0.has(.cacert) }),
        ManualVariable(
            name: "NO_COLOR",
            text: "With any value but an empty one, the output has no color unless --color asks for it.",
            isUsed: { $0.has(.color) }),
        ManualVariable(
            name: "COLUMNS",
            text: "The width of tables and of help, instead of that of the terminal.",
            isUsed: { _ in true }),
        ManualVariable(
            name: "SOURCE_DATE_EPOCH",
            text: "The time that the pages are dated with, in seconds since 1970, instead of now.",
            isUsed: { $0 == .manual }),
    ]
}

extension CommandName {
    /// Returns whether the command accepts a setting.
    func has(_ setting: SettingName) -> Bool { setting.setting.commands.contains(self) }
}
