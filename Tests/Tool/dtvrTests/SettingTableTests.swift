import StreamHealth
import Testing
import TextForms

@testable import dtvr

/// The settings of each command: usable as a flag, a variable and a key, and described in the help.
@Suite struct SettingTableTests {
    private static func parse(
        _ arguments: [String], environment: [String: String] = [:], file: String? = nil
    ) throws(UsageError) -> Invocation.Request {
        try Invocation.parse(arguments, environment: environment) { (_) throws(UsageError) in file }
    }

    private static func value(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], file: String? = nil
    ) throws -> String? {
        guard case .perform(let call) = try parse(arguments, environment: environment, file: file) else {
            return nil
        }
        return call[try #require(call.command.declaration.setting(named: name))]
    }

    /// Returns two values that the setting accepts, and one that it refuses.
    private static func samples(of setting: Setting) -> (good: String, better: String, bad: String) {
        switch setting.kind {
        case .toggle: ("true", "false", "perhaps")
        case .text, .path: ("one", "two", "")
        case .choice(let choices, _): (choices[0], choices[1], "none-of-them")
        case .duration: ("30h", "36h", "soon")
        case .byteCount: ("40MB", "1GiB", "large")
        case .number(let range, _): (String(range.lowerBound), String(range.upperBound), "many")
        case .decimal(let range): (String(range.lowerBound), "2.5", "many")
        }
    }

    @Test(arguments: CommandRegistry.declarations)
    func setting_inEachForm_isRead(command: CommandDeclaration) throws {
        for setting in command.settings {
            let name = setting.name
            let (good, _, _) = Self.samples(of: setting)
            let call = command.name
            let apart = setting.kind == .toggle ? [setting.flag] : [setting.flag, good]
            #expect(try Self.value(name, [call] + apart, file: "") == good)
            #expect(try Self.value(name, [call, "\(setting.flag)=\(good)"], file: "") == good)
            // The key cannot be in the file that it names; only the flag and the variable can name a file.
            #expect(try Self.value(name, [call], environment: [setting.variable: good], file: "") == good)
            if name == "config" { continue }
            #expect(
                try Self.value(
                    name, [call], environment: ["HOME": "/h"], file: "\(name) = \(good)\n") == good)
        }
    }

    @Test(arguments: CommandRegistry.declarations)
    func setting_inSeveralForms_prefersFlagThenVariableThenFile(command: CommandDeclaration) throws {
        for setting in command.settings where setting.name != "config" {
            let name = setting.name
            let (good, better, _) = Self.samples(of: setting)
            let call = command.name
            let file = "\(name) = \(good)"
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

    @Test(arguments: CommandRegistry.declarations)
    func setting_withAnInvalidValue_isRefusedByName(declaration: CommandDeclaration) throws {
        let command = declaration.name
        for setting in declaration.settings {
            let name = setting.name
            let bad = Self.samples(of: setting).bad
            let error = #expect(throws: UsageError.self) {
                try Self.value(name, [command, "\(setting.flag)=\(bad)"])
            }
            #expect(error?.message.contains(setting.flag) == true)
            #expect(error?.text.contains("usage: dtvr \(command)") == true)
            guard !bad.isEmpty, name != "config" else { continue }
            #expect(throws: UsageError.self) {
                try Self.value(name, [command], environment: [setting.variable: bad])
            }
            #expect(throws: UsageError.self) {
                try Self.value(
                    name, [command], environment: ["HOME": "/h"], file: "\(name) = \(bad)")
            }
        }
    }

    /// A value that is valid for one command but not for another is refused by the other, in each form.
    @Test func format_ofAnotherCommand_isRefused() throws {
        for (command, format) in [("scan", "html"), ("store", "csv"), ("monitor", "csv"), ("tag", "json")] {
            for (arguments, environment, file) in [
                ([command, "--format", format], [:], ""), ([command], ["DTVR_FORMAT": format], ""),
                ([command], ["HOME": "/h"], "format = \(format)"),
            ] {
                let error = #expect(throws: UsageError.self) {
                    try Self.value("format", arguments, environment: environment, file: file)
                }
                #expect(error?.message.contains("takes one of text") == true, "\(command)")
            }
        }
    }

    @Test func checkLimits_areAllSettings_withTheirDefaults() throws {
        for limit in HealthLimit.all where limit != .silence {
            let key = try #require(ConfigurationKey.named(limit.name), "\(limit)")
            let text = try #require(key.forms[0].setting.defaultText)
            #expect(DurationText.seconds(text) == limit.defaultValue, "\(limit)")
            #expect(key.isLimit && key.forms.count == 1, "\(limit)")
            #expect(
                Set(key.forms.flatMap(\.commands).map(\.name))
                    .isSuperset(of: limit == .findings ? ["check"] : ["check", "monitor"]))
        }
        // Commands that only list tags have the limits that a single tag can violate.
        for command in [ScanCommand.declaration, TagCommand.declaration] {
            let names = command.settings.filter(\.isLimit).map(\.name)
            #expect(names == ["limit-longest-tag", "limit-shortest-tag"])
        }
        // For live input only.
        let silence = try #require(ConfigurationKey.named(HealthLimit.silence.name))
        #expect(silence.forms.flatMap(\.commands).map(\.name) == ["monitor"])
    }

    @Test(arguments: CommandRegistry.declarations)
    func help_ofEachCommand_namesExactlyItsSettings(command: CommandDeclaration) {
        let help = HelpText().command(command)
        for key in ConfigurationKey.all {
            let setting = command.setting(named: key.name)
            let isListed = help.contains("\n  \((setting ?? key.forms[0].setting).usage)\n")
            #expect(isListed == (setting != nil), "\(key.name)")
        }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= HelpText.maximumWidth })
        #expect(HelpText().overview(version: "0").contains(command.summary))
    }

    @Test(arguments: CompletionShell.allCases)
    func completions_ofEachShell_nameEveryFlagAndCommand(shell: CompletionShell) {
        let script = shell.script
        for command in CommandRegistry.declarations {
            #expect(script.contains(command.name))
            for setting in command.settings {
                #expect(script.contains(shell == .fish ? "-l \(setting.name)" : setting.flag))
            }
        }
    }

    @Test func times_upToABillionSeconds_areAccepted() {
        for (text, seconds) in [
            ("0", 0.0), ("1.5h", 5_400), ("1000000000", 1e9), ("1000000000s", 1e9), ("1000000000.1", nil),
            ("11574d", 999_993_600), ("11575d", nil), ("", nil), ("s", nil), ("-1", nil), ("1e3", nil),
        ] as [(String, Double?)] {
            #expect(DurationText.seconds(text) == seconds, "\(text)")
        }
    }

    @Test func defaults_ofAllSettings_areValid() {
        for setting in CommandRegistry.declarations.flatMap(\.settings) {
            if let text = setting.defaultText {
                #expect(setting.objection(to: text) == nil, "\(setting.name)")
            }
            #expect(!setting.help.isEmpty)
        }
    }
}
