/// The shells with a completion script; each script is generated from the command and setting tables.
enum CompletionShell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}

extension CommandName {
    /// The settings that the command accepts.
    var settings: [Setting] {
        SettingTable.settings(of: self)
    }
}
