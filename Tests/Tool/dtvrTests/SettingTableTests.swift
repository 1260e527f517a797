import StreamHealth
import Testing

@testable import dtvr

/// Walks the table of settings: each must be usable as a flag, a variable and a key, and be told of in the help.
@Suite struct SettingTableTests {
    private static func parse(
        _ arguments: [String], environment: [String: String] = [:], file: String? = nil
    ) throws(UsageError) -> Invocation.Request {
        try Invocation.parse(arguments, environment: environment) { (_) throws(UsageError) in file }
    }

    private static func value(
        _ name: SettingName, _ arguments: [String], environment: [String: String] = [:], file: String? = nil
    ) throws -> String? {
        guard case .perform(let call) = try parse(arguments, environment: environment, file: file) else {
            return nil
        }
        return call[name]
    }

    /// A value that the setting takes and that is not its default, and one that it refuses.
    private static func samples(of setting: Setting) -> (good: String, better: String, bad: String) {
        switch setting.kind {
        case .toggle: ("true", "false", "perhaps")
        case .text, .path: ("one", "two", "")
        case .choice(let choices, _): (choices[0], choices[1], "none-of-them")
        case .duration: ("90s", "36h", "soon")
        case .byteCount: ("40MB", "1GiB", "large")
        case .number(let range): (String(range.lowerBound), String(range.upperBound), "many")
        }
    }

    @Test(arguments: SettingName.allCases)
    func setting_inEachForm_isRead(name: SettingName) throws {
        for command in name.setting.commands {
            let setting = name.setting(of: command)
            let (good, _, _) = Self.samples(of: setting)
            let call = command.rawValue
            let apart = setting.kind == .toggle ? [setting.flag] : [setting.flag, good]
            #expect(try Self.value(name, [call] + apart, file: "") == good)
            #expect(try Self.value(name, [call, "\(setting.flag)=\(good)"], file: "") == good)
            // Naming a file is what reads the file; only flag and variable can do that.
            #expect(try Self.value(name, [call], environment: [setting.variable: good], file: "") == good)
            if name == .config { continue }
            #expect(
                try Self.value(
                    name, [call], environment: ["HOME": "/h"], file: "\(name.rawValue) = \(good)\n") == good)
        }
    }

    @Test(arguments: SettingName.allCases.filter { $0 != .config })
    func setting_inSeveralForms_flagGoesBeforeVariableBeforeFile(name: SettingName) throws {
        for command in name.setting.commands {
            let setting = name.setting(of: command)
            let (good, better, _) = Self.samples(of: setting)
            let call = command.rawValue
            let file = "\(name.rawValue) = \(good)"
            let home = ["HOME": "/h"]
            let variable = home.merging([setting.variable: better]) { $1 }
            #expect(try Self.value(name, [call], environment: variable, file: file) == better)
            #expect(
                try Self.value(name, [call, "\(setting.flag)=\(good)"], environment: variable, file: file)
                    == good)
            #expect(try Self.value(name, [call], environment: home, file: file) == good)
            #expect(try Self.value(name, [call]) == setting.defaultText)
        }
    }

    @Test(arguments: SettingName.allCases)
    func setting_withABadValue_isRefusedByItsName(name: SettingName) throws {
        for command in name.setting.commands.map(\.rawValue) {
            let setting = name.setting
            let bad = Self.samples(of: setting).bad
            let error = #expect(throws: UsageError.self) {
                try Self.value(name, [command, "\(setting.flag)=\(bad)"])
            }
            #expect(error?.message.contains(setting.flag) == true)
            #expect(error?.text.contains("usage: dtvr \(command)") == true)
            guard !bad.isEmpty, name != .config else { continue }
            #expect(throws: UsageError.self) {
                try Self.value(name, [command], environment: [setting.variable: bad])
            }
            #expect(throws: UsageError.self) {
                try Self.value(
                    name, [command], environment: ["HOME": "/h"], file: "\(name.rawValue) = \(bad)")
            }
        }
    }

    /// A value that is right for one command and not for another is refused by the other, in each form.
    @Test func format_ofAnotherCommand_isRefused() throws {
        for (command, format) in [("scan", "html"), ("store", "csv"), ("check", "jsonl"), ("tag", "json")] {
            for (arguments, environment, file) in [
                ([command, "--format", format], [:], ""), ([command], ["DTVR_FORMAT": format], ""),
                ([command], ["HOME": "/h"], "format = \(format)"),
            ] {
                let error = #expect(throws: UsageError.self) {
                    try Self.value(.format, arguments, environment: environment, file: file)
                }
                #expect(error?.message.contains("takes one of text") == true, "\(command)")
            }
        }
    }

    @Test func limits_ofTheChecks_areAllSettings_withTheirDefaults() throws {
        for limit in HealthLimit.allCases {
            let name = try #require(SettingName(rawValue: limit.rawValue), "\(limit)")
            let text = try #require(name.setting.defaultText)
            #expect(DurationText.seconds(text) == limit.defaultValue, "\(limit)")
            #expect(name.setting.commands == [.check] && name.isLimit)
        }
    }

    @Test(arguments: CommandName.allCases)
    func help_ofEachCommand_namesExactlyItsSettings(command: CommandName) {
        let help = HelpText().command(command)
        for name in SettingName.allCases {
            let isListed = help.contains("\n  \(name.setting(of: command).usage)\n")
            #expect(isListed == name.setting.commands.contains(command), "\(name)")
        }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= HelpText.maximumWidth })
        #expect(HelpText().overview(version: "0").contains(command.summary))
    }

    @Test(arguments: CompletionShell.allCases)
    func completions_ofEachShell_nameEveryFlagAndCommand(shell: CompletionShell) {
        let script = shell.script
        for command in CommandName.allCases { #expect(script.contains(command.rawValue)) }
        for name in SettingName.allCases {
            #expect(script.contains(shell == .fish ? "-l \(name.rawValue)" : name.setting.flag))
        }
    }

    @Test func defaults_ofAllSettings_areValuesThatTheyTake() {
        for setting in SettingName.allCases.map(\.setting) {
            if let text = setting.defaultText {
                #expect(setting.objection(to: text) == nil, "\(setting.name)")
            }
            #expect(!setting.commands.isEmpty)
            #expect(!setting.help.isEmpty)
        }
    }
}
