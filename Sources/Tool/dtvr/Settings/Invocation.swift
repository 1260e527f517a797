import TextForms

/// A parsed command line: the command, its operands and the values of its settings.
struct Invocation: Sendable {
    let command: any Command.Type
    let operands: [String]
    private let values: [String: String]
    /// The names of the settings whose flags are on the command line.
    private let flagNames: Set<String>

    /// The request that a command line makes.
    enum Request: Sendable {
        case perform(Invocation)
        case help(CommandDeclaration?)
        case version
    }

    /// Parses a command line.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the program's name.
    ///   - environment: The environment variables.
    ///   - readFile: Returns the text of the configuration file at a path, or nil if the file is missing.
    static func parse(
        _ arguments: [String], environment: [String: String], readFile: (String) throws(UsageError) -> String?
    ) throws(UsageError) -> Request {
        guard let first = arguments.first else { throw UsageError("no command given") }
        switch first {
        case "-h", "--help", "help":
            guard let topic = arguments.dropFirst().first else { return .help(nil) }
            return .help(try CommandRegistry.command(named: topic).declaration)
        case "-V", "--version", "version": return .version
        default: break
        }
        let command = try CommandRegistry.command(named: first)
        let declaration = command.declaration
        var scanner = ArgumentScanner(command: declaration)
        for argument in arguments.dropFirst() { try scanner.scan(argument) }
        try scanner.finish()
        if scanner.asksForHelp { return .help(declaration) }
        let values = try merge(
            flags: scanner.flags, command: declaration, environment: environment, readFile: readFile)
        return .perform(
            Invocation(
                command: command, operands: scanner.operands, values: values,
                flagNames: Set(scanner.flags.keys)))
    }

    /// The value of a setting, from its flag, its variable, the configuration file, or its default, in that order.
    ///
    /// The default is that of the command's form of the setting, or of the setting itself if the command does not take
    /// it.
    subscript(setting: Setting) -> String? {
        values[setting.name]
            ?? (command.declaration.setting(named: setting.name) ?? setting).defaultText
    }

    /// Whether the flag of a setting is on the command line.
    func isGiven(_ setting: Setting) -> Bool { flagNames.contains(setting.name) }

    func isOn(_ setting: Setting) -> Bool { self[setting].flatMap(ToggleText.isOn) ?? false }

    func seconds(_ setting: Setting) -> Double? { self[setting].flatMap(DurationText.seconds) }

    func bytes(_ setting: Setting) -> Int? { self[setting].flatMap(ByteCountText.bytes) }

    func number(_ setting: Setting) -> Int? { self[setting].flatMap { Int($0) } }

    private static func merge(
        flags: [String: String], command: CommandDeclaration, environment: [String: String],
        readFile: (String) throws(UsageError) -> String?
    ) throws(UsageError) -> [String: String] {
        var values = flags
        let settings = command.settings
        for setting in settings where values[setting.name] == nil {
            guard let value = environment[setting.variable], !value.isEmpty else { continue }
            if let objection = setting.objection(to: value) {
                throw UsageError("\(setting.variable) \(objection)", command: command)
            }
            values[setting.name] = value
        }
        let named = values[Setting.config.name]
        guard let file = try ConfigurationFile.read(named, environment: environment, readFile: readFile)
        else {
            return values
        }
        for setting in settings where values[setting.name] == nil {
            guard let value = file.values[setting.name] else { continue }
            if let objection = setting.objection(to: value) {
                throw UsageError(
                    "\(setting.name) in the configuration file \(objection)",
                    command: command)
            }
            values[setting.name] = value
        }
        return values
    }
}

/// A usage error, printed as the message, the usage line and a hint.
struct UsageError: Error, Sendable {
    static let generalUsage = "usage: dtvr COMMAND [OPTION]... [OPERAND]..."

    let message: String
    let command: CommandDeclaration?

    init(_ message: String, command: CommandDeclaration? = nil) {
        self.message = message
        self.command = command
    }

    var text: String {
        let usage = command?.usage ?? Self.generalUsage
        let help = command.map { "dtvr \($0.name) --help" } ?? "dtvr --help"
        return "dtvr: \(message)\n\(usage)\nTry '\(help)'."
    }
}

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
        if setting.isRepeatable, let earlier = flags[setting.name] {
            flags[setting.name] = "\(earlier)\n\(value)"
        } else {
            flags[setting.name] = value
        }
    }
}
