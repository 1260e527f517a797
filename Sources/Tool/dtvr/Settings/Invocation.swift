import TextForms

/// A parsed command line: the command, its operands and the values of its settings.
struct Invocation: Sendable {
    let command: CommandName
    let operands: [String]
    private let values: [String: String]

    /// The request that a command line makes.
    enum Request: Sendable {
        case perform(Invocation)
        case help(CommandName?)
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
            guard let command = CommandName(rawValue: topic) else { throw CommandName.unknown(topic) }
            return .help(command)
        case "-V", "--version", "version": return .version
        default: break
        }
        guard let command = CommandName(rawValue: first) else { throw CommandName.unknown(first) }
        var scanner = ArgumentScanner(command: command)
        for argument in arguments.dropFirst() { try scanner.scan(argument) }
        try scanner.finish()
        if scanner.asksForHelp { return .help(command) }
        let values = try merge(
            flags: scanner.flags, command: command, environment: environment, readFile: readFile)
        return .perform(Invocation(command: command, operands: scanner.operands, values: values))
    }

    /// The value of a setting, from its flag, its variable, the configuration file, or its default, in that order.
    subscript(name: SettingName) -> String? {
        values[name.rawValue] ?? name.setting(of: command).defaultText
    }

    /// The value of a setting by name, such as `limit-gap`, with the same precedence.
    subscript(name name: String) -> String? {
        values[name] ?? SettingTable.setting(named: name, of: command)?.defaultText
    }

    func isOn(_ name: SettingName) -> Bool { self[name].flatMap(ToggleText.isOn) ?? false }

    func seconds(_ name: SettingName) -> Double? { self[name].flatMap(DurationText.seconds) }

    func bytes(_ name: SettingName) -> Int? { self[name].flatMap(ByteCountText.bytes) }

    func number(_ name: SettingName) -> Int? { self[name].flatMap { Int($0) } }

    private static func merge(
        flags: [String: String], command: CommandName, environment: [String: String],
        readFile: (String) throws(UsageError) -> String?
    ) throws(UsageError) -> [String: String] {
        var values = flags
        let settings = SettingTable.settings(of: command)
        for setting in settings where values[setting.name] == nil {
            guard let value = environment[setting.variable], !value.isEmpty else { continue }
            if let objection = setting.objection(to: value) {
                throw UsageError("\(setting.variable) \(objection)", command: command)
            }
            values[setting.name] = value
        }
        let named = values[SettingName.config.rawValue]
        guard let file = try configuration(named, environment: environment, readFile: readFile) else {
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

    private static func configuration(
        _ named: String?, environment: [String: String], readFile: (String) throws(UsageError) -> String?
    ) throws(UsageError) -> ConfigurationFile? {
        let folder = UserFolders(environment).configuration
        guard let path = named ?? folder.map({ "\($0)/dtvr/config" }) else { return nil }
        guard let text = try readFile(path) else {
            if named != nil { throw UsageError("cannot read the configuration file '\(path)'") }
            return nil
        }
        do throws(ConfigurationText.Fault) {
            return try ConfigurationFile(parsing: text)
        } catch {
            throw UsageError("\(path):\(error.line): \(error.message)")
        }
    }
}
