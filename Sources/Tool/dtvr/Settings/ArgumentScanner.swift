import TextForms

/// Sorts the arguments after a command into flags and operands.
struct ArgumentScanner {
    let command: CommandDeclaration
    private(set) var flags: [String: String] = [:]
    private(set) var operands: [String] = []
    private(set) var asksForHelp = false
    private var waiting: Setting?
    private var onlyOperands = false

    init(command: CommandDeclaration) { self.command = command }

    mutating func scan(_ argument: String) throws(UsageError) {
        if let setting = waiting {
            waiting = nil
            try set(setting, argument)
        } else if onlyOperands || argument == "-" || !argument.hasPrefix("-") {
            operands.append(argument)
        } else if argument == "--" {
            onlyOperands = true
        } else if argument == "--help" || argument == "-h" {
            asksForHelp = true
        } else {
            try scanFlag(argument)
        }
    }

    mutating func finish() throws(UsageError) {
        if let waiting { throw UsageError("\(waiting.flag) needs a value", command: command) }
    }

    private mutating func scanFlag(_ argument: String) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard argument.hasPrefix("--"),
            let setting = command.setting(named: String(parts[0].dropFirst(2)))
        else {
            let known = command.settings.map(\.flag)
            let suggestion = Suggestion.text(for: String(parts[0]), among: known + ["--help"])
            throw UsageError(
                "there is no option '\(parts[0])' for '\(command.name)'\(suggestion)", command: command)
        }
        if parts.count == 2 {
            try set(setting, String(parts[1]))
        } else if setting.kind == .toggle {
            flags[setting.name] = "true"
        } else {
            waiting = setting
        }
    }

    private mutating func set(_ setting: Setting, _ value: String) throws(UsageError) {
        if let objection = setting.objection(to: value) {
            throw UsageError("\(setting.flag) \(objection)", command: command)
        }
        flags[setting.name] = value
    }
}
