/// A key of the configuration file: a setting, in the forms that it has in the commands.
struct ConfigurationKey: Sendable {
    /// The form of a setting, and the commands that take it in that form.
    struct Form: Sendable {
        let setting: Setting
        fileprivate(set) var commands: [CommandDeclaration]
    }

    /// The forms, in the order of the commands; never empty.
    let forms: [Form]

    var name: String { forms[0].setting.name }

    var isLimit: Bool { forms[0].setting.isLimit }

    /// The keys in the order in which the commands list them, then the limits of the checks.
    static let all: [ConfigurationKey] = {
        let settings =
            CommandRegistry.declarations.flatMap(\.settings).filter { !$0.isLimit } + Setting.limits
        var known: Set<String> = []
        return settings.map(\.name).filter { known.insert($0).inserted }.compactMap(ConfigurationKey.init)
    }()

    private static let keyOfName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Returns the key with a name, or nil if no command takes such a setting.
    static func named(_ name: String) -> ConfigurationKey? { keyOfName[name] }

    /// Collects the forms of a setting; nil if no command takes it.
    private init?(_ name: String) {
        var forms: [Form] = []
        for command in CommandRegistry.declarations {
            guard let setting = command.setting(named: name) else { continue }
            if let index = forms.firstIndex(where: { $0.setting == setting }) {
                forms[index].commands.append(command)
            } else {
                forms.append(Form(setting: setting, commands: [command]))
            }
        }
        if forms.isEmpty { return nil }
        self.forms = forms
    }

    /// Returns the error for a value that no command takes, to follow the key's name.
    func objection(to value: String) -> String? {
        if forms.contains(where: { $0.setting.objection(to: value) == nil }) { return nil }
        var choices: [String] = []
        for choice in forms.flatMap(\.setting.kind.choices) where !choices.contains(choice) {
            choices.append(choice)
        }
        let common = forms[0].setting.adapted { if !choices.isEmpty { $0.limit(to: choices) } }
        return common.objection(to: value)
    }
}
