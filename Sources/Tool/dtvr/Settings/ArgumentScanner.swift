/// Sorts the arguments behind a command into flags and operands.
struct ArgumentScanner {
    let command: CommandName
    private(set) var flags: [SettingName: String] = [:]
    private(set) var operands: [String] = []
    private(set) var asksForHelp = false
    private var waiting: SettingName?
    private var onlyOperands = false

    init(command: CommandName) { self.command = command }

    mutating func take(_ argument: String) throws(UsageError) {
        if let name = waiting {
            waiting = nil
            try set(name, argument)
        } else if onlyOperands || argument == "-" || !argument.hasPrefix("-") {
            operands.append(argument)
        } else if argument == "--" {
            onlyOperands = true
        } else if argument == "--help" || argument == "-h" {
            asksForHelp = true
        } else {
            try takeFlag(argument)
        }
    }

    mutating func finish() throws(UsageError) {
        if let waiting { throw UsageError("\(waiting.setting.flag) needs a value", command: command) }
    }

    private mutating func takeFlag(_ argument: String) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard argument.hasPrefix("--"), let name = SettingName(rawValue: String(parts[0].dropFirst(2))),
            name.setting.commands.contains(command)
        else {
            let known = SettingName.allCases.map(\.setting).filter { $0.commands.contains(command) }.map(
                \.flag)
            let suggestion = Suggestion.text(for: String(parts[0]), among: known + ["--help"])
            throw UsageError(
                "there is no option '\(parts[0])' for '\(command.rawValue)'\(suggestion)", command: command)
        }
        if parts.count == 2 {
            try set(name, String(parts[1]))
        } else if name.setting(of: command).kind == .toggle {
            flags[name] = "true"
        } else {
            waiting = name
        }
    }

    private mutating func set(_ name: SettingName, _ value: String) throws(UsageError) {
        if let objection = name.setting(of: command).objection(to: value) {
            throw UsageError("\(name.setting.flag) \(objection)", command: command)
        }
        flags[name] = value
    }
}
