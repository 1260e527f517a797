/// One call of the tool, taken apart: the command, its operands and every setting with its value.
struct Invocation: Sendable {
    let command: CommandName
    let operands: [String]
    private let values: [SettingName: String]

    /// What a call asks for.
    enum Request: Sendable {
        case perform(Invocation)
        case help(CommandName?)
        case version
    }

    /// Takes a call apart.
    ///
    /// - Parameters:
    ///   - arguments: what follows the program's name.
    ///   - environment: the variables of the process.
    ///   - readFile: gives the text of the configuration file at a path; nil where there is none.
    static func parse(
        _ arguments: [String], environment: [String: String], readFile: (String) throws(UsageError) -> String?
    ) throws(UsageError) -> Request {
        guard let first = arguments.first else { throw UsageError("no command given") }
        switch first {
        case "-h", "--help", "help":
            guard let topic = arguments.dropFirst().first else { return .help(nil) }
            guard let command = CommandName(rawValue: topic) else { throw CommandName.unknown(topic) }
            return .help(command)
        case "-V", "--version", "version": return .version
        default: break
        }
        guard let command = CommandName(rawValue: first) else { throw CommandName.unknown(first) }
        var scanner = ArgumentScanner(command: command)
        for argument in arguments.dropFirst() { try scanner.take(argument) }
        try scanner.finish()
        if scanner.asksForHelp { return .help(command) }
        let values = try merge(
            flags: scanner.flags, command: command, environment: environment, readFile: readFile)
        return .perform(Invocation(command: command, operands: scanner.operands, values: values))
    }

    /// The value of a setting: its flag, else its variable, else the file's key, else its default.
    subscript(name: SettingName) -> String? { values[name] ?? name.setting(of: command).defaultText }

    func isOn(_ name: SettingName) -> Bool { self[name].flatMap(Toggle.isOn) ?? false }

    func seconds(_ name: SettingName) -> Double? { self[name].flatMap(DurationText.seconds) }

    func bytes(_ name: SettingName) -> Int? { self[name].flatMap(ByteCountText.bytes) }

    func number(_ name: SettingName) -> Int? { self[name].flatMap { Int($0) } }

    private static func merge(
        flags: [SettingName: String], command: CommandName, environment: [String: String],
        readFile: (String) throws(UsageError) -> String?
    ) throws(UsageError) -> [SettingName: String] {
        var values = flags
        for name in SettingName.allCases where name.setting.commands.contains(command) {
            guard values[name] == nil, let value = environment[name.setting.variable], !value.isEmpty else {
                continue
            }
            if let objection = name.setting(of: command).objection(to: value) {
                throw UsageError("\(name.setting.variable) \(objection)", command: command)
            }
            values[name] = value
        }
        guard let file = try configuration(values[.config], environment: environment, readFile: readFile)
        else {
            return values
        }
        for (name, value) in file.values where name.setting.commands.contains(command) && values[name] == nil
        {
            if let objection = name.setting(of: command).objection(to: value) {
                throw UsageError(
                    "\(name.rawValue) in the configuration file \(objection)",
                    command: command)
            }
            values[name] = value
        }
        return values
    }

    private static func configuration(
        _ named: String?, environment: [String: String], readFile: (String) throws(UsageError) -> String?
    ) throws(UsageError) -> ConfigurationFile? {
        let home = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { "\($0)/.config" }
        guard let path = named ?? home.map({ "\($0)/dtvr/config" }) else { return nil }
        guard let text = try readFile(path) else {
            if named != nil { throw UsageError("cannot read the configuration file '\(path)'") }
            return nil
        }
        do throws(ConfigurationFile.Fault) {
            return try ConfigurationFile(parsing: text)
        } catch {
            throw UsageError("\(path):\(error.line): \(error.message)")
        }
    }
}
