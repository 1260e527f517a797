import StreamHealth
import Testing
import TextForms

@testable import dtvr

/// Walks the table of settings: each must be usable as a flag, a variable and a key, and be told of in the help.
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
        return call[name: name]
    }

    /// A value that the setting takes and that is not its default, and one that it refuses.
    private static func samples(of setting: Setting) -> (good: String, better: String, bad: String) {
        switch setting.kind {
        case .toggle: ("true", "false", "perhaps")
        case .text, .path: ("one", "two", "")
        case .choice(let choices, _): (choices[0], choices[1], "none-of-them")
        case .duration: ("90s", "36h", "soon")
        case .byteCount: ("40MB", "1GiB", "large")
        case .number(let range, _): (String(range.lowerBound), String(range.upperBound), "many")
        }
    }

    @Test(arguments: SettingTable.all)
    func setting_inEachForm_isRead(common: Setting) throws {
        for command in common.commands {
            let name = common.name
            let setting = try #require(SettingTable.setting(named: name, of: command))
            let (good, _, _) = Self.samples(of: setting)
            let call = command.rawValue
            let apart = setting.kind == .toggle ? [setting.flag] : [setting.flag, good]
            #expect(try Self.value(name, [call] + apart, file: "") == good)
            #expect(try Self.value(name, [call, "\(setting.flag)=\(good)"], file: "") == good)
            // Naming a file is what reads the file; only flag and variable can do that.
            #expect(try Self.value(name, [call], environment: [setting.variable: good], file: "") == good)
            if name == "config" { continue }
            #expect(
                try Self.value(
                    name, [call], environment: ["HOME": "/h"], file: "\(name) = \(good)\n") == good)
        }
    }

    @Test(arguments: SettingTable.all.filter { $0.name != "config" })
    func setting_inSeveralForms_flagGoesBeforeVariableBeforeFile(common: Setting) throws {
        for command in common.commands {
            let name = common.name
            let setting = try #require(SettingTable.setting(named: name, of: command))
            let (good, better, _) = Self.samples(of: setting)
            let call = command.rawValue
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

    @Test(arguments: SettingTable.all)
    func setting_withABadValue_isRefusedByItsName(common: Setting) throws {
        for command in common.commands.map(\.rawValue) {
            let (name, setting) = (common.name, common)
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

    /// A value that is right for one command and not for another is refused by the other, in each form.
    @Test func format_ofAnotherCommand_isRefused() throws {
        for (command, format) in [("scan", "html"), ("store", "csv"), ("check", "jsonl"), ("tag", "json")] {
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

    @Test func limits_ofTheChecks_areAllSettings_withTheirDefaults() throws {
        for limit in HealthLimit.all where limit != .silence {
            let setting = try #require(SettingTable.setting(named: limit.name), "\(limit)")
            let text = try #require(setting.defaultText)
            #expect(DurationText.seconds(text) == limit.defaultValue, "\(limit)")
            #expect(
                setting.isLimit
                    && setting.commands.isSuperset(of: limit == .findings ? [.check] : [.check, .monitor]))
        }
        // Commands that only list tags have the limits that a tag by itself can break.
        for command in [CommandName.scan, .tag] {
            let names = SettingTable.settings(of: command).filter(\.isLimit).map(\.name)
            #expect(names == ["limit-longest-tag", "limit-shortest-tag"])
        }
        // Of live input only.
        let silence = try #require(SettingTable.setting(named: HealthLimit.silence.name))
        #expect(silence.commands == [.monitor])
    }

    @Test(arguments: CommandName.allCases)
    func help_ofEachCommand_namesExactlyItsSettings(command: CommandName) {
        let help = HelpText().command(command)
        for common in SettingTable.all {
            let setting = SettingTable.setting(named: common.name, of: command)
            let isListed = help.contains("\n  \((setting ?? common).usage)\n")
            #expect(isListed == (setting != nil), "\(common.name)")
        }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= HelpText.maximumWidth })
        #expect(HelpText().overview(version: "0").contains(command.summary))
    }

    @Test(arguments: CompletionShell.allCases)
    func completions_ofEachShell_nameEveryFlagAndCommand(shell: CompletionShell) {
        let script = shell.script
        for command in CommandName.allCases { #expect(script.contains(command.rawValue)) }
        for setting in SettingTable.all {
            #expect(script.contains(shell == .fish ? "-l \(setting.name)" : setting.flag))
        }
    }

    @Test func times_upToABillionSeconds_areTaken() {
        for (text, seconds) in [
            ("0", 0.0), ("1.5h", 5_400), ("1000000000", 1e9), ("1000000000s", 1e9), ("1000000000.1", nil),
            ("11574d", 999_993_600), ("11575d", nil), ("", nil), ("s", nil), ("-1", nil), ("1e3", nil),
        ] as [(String, Double?)] {
            #expect(DurationText.seconds(text) == seconds, "\(text)")
        }
    }

    @Test func defaults_ofAllSettings_areValuesThatTheyTake() {
        for setting in SettingTable.all {
            if let text = setting.defaultText {
                #expect(setting.objection(to: text) == nil, "\(setting.name)")
            }
            #expect(!setting.commands.isEmpty)
            #expect(!setting.help.isEmpty)
        }
    }
}
