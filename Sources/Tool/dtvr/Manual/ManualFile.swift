/// A file or folder that the manual describes.
struct ManualFile: Sendable {
    let path: String
    let text: String
    /// The setting that overrides the path; every command with this setting uses the file.
    let setting: SettingName

    /// All files, in the order of the manual pages.
    static let all: [ManualFile] = [
        ManualFile(
            path: "$XDG_CONFIG_HOME/dtvr/config",
            text: """
                The configuration file, unless --config names another; ~/.config/dtvr/config if XDG_CONFIG_HOME is not \
                set. The file is optional. See dtvr-config(5).
                """,
            setting: .config),
        ManualFile(
            path: "$XDG_STATE_HOME/dtvr/store",
            text: """
                The folder of the buffer, unless --store names another; ~/.local/state/dtvr/store if XDG_STATE_HOME is \
                not set. Only its owner can read it.
                """,
            setting: .store),
        ManualFile(
            path: "dtvr-collected",
            text: "The folder of the received tags, unless --dir names another.",
            setting: .directory),
    ]
}
