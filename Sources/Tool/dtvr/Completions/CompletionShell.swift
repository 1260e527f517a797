/// The shells that completions are written for, each from the tables.
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
    /// The settings that the command knows, as it has them.
    var settings: [Setting] {
        SettingTable.settings(of: self)
    }
}
