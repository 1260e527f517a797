import Foundation
import TestSupport
import Testing

@testable import dtvr

/// The pages of the manual, as mandoc reads them and as a terminal of 80 columns shows them.
@Suite(.timeLimit(.minutes(30))) struct ManualTests {
    private static func source(of page: ManualPage) -> String {
        page.source(version: "1.2.3", date: "2026-11-20")
    }

    /// Returns the output of mandoc, an independent reader, for a page.
    private static func mandoc(_ page: ManualPage, _ arguments: String...) async throws -> String {
        let result = try await FinishedProcess.of(
            "/usr/bin/mandoc", arguments, input: Data(source(of: page).utf8))
        return String(decoding: result.output + result.errors, as: UTF8.self)
    }

    /// Returns a page as it is displayed, without the overstriking for bold letters.
    private static func rendered(_ page: ManualPage) async throws -> String {
        let text = try await mandoc(page, "-T", "ascii", "-O", "width=78")
        return text.replacing(/.\u{8}/, with: "")
    }

    /// Returns a section of a rendered page.
    private static func section(_ title: String, of text: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(
            lines.drop { $0 != title }.dropFirst().prefix { $0.isEmpty || $0.hasPrefix(" ") })
    }

    @Test func manual_hasPagesForTheTool_eachCommand_andTheConfigurationFile() {
        let names = ["dtvr.1"] + CommandRegistry.declarations.map { "dtvr-\($0.name).1" } + ["dtvr-config.5"]
        #expect(ManualPage.all.map(\.fileName) == names)
    }

    @Test(arguments: ManualPage.all.map(\.fileName))
    func page_hasNoMandocWarnings(name: String) async throws {
        let page = try #require(ManualPage.all.first { $0.fileName == name })
        #expect(try await Self.mandoc(page, "-T", "lint", "-W", "all") == "")
        #expect(Self.source(of: page).utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
    }

    @Test(arguments: ManualPage.all.map(\.fileName))
    func page_at80Columns_breaksNoOptionOrExample(name: String) async throws {
        let page = try #require(ManualPage.all.first { $0.fileName == name })
        let text = try await Self.rendered(page)
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
        var whole: [String] = []
        switch page.subject {
        case .tool: whole = ManualPage.toolExamples.map(\.call)
        case .command(let command):
            whole = command.examples.map(\.call) + command.settings.map(\.usage)
        case .configuration:
            whole = ManualPage.configurationExample.split(separator: "\n").map(String.init)
        }
        for each in whole {
            #expect(
                lines.contains { $0.drop { $0 == " " }.hasPrefix(each) }, "not whole on a line: \(each)")
        }
    }

    @Test(arguments: ManualPage.all.map(\.fileName))
    func page_hasTheStandardSections(name: String) async throws {
        let page = try #require(ManualPage.all.first { $0.fileName == name })
        let text = try await Self.rendered(page)
        let titles = text.split(separator: "\n").filter {
            $0.first?.isUppercase == true && $0.allSatisfy { $0.isUppercase || $0 == " " }
        }
        var wanted = ["NAME", "SYNOPSIS", "DESCRIPTION"]
        switch page.subject {
        case .tool: wanted += ["COMMANDS", "OPTIONS", "EXIT STATUS"]
        case .command: wanted += ["OPTIONS", "EXIT STATUS"]
        case .configuration: wanted += ["SETTINGS"]
        }
        #expect(titles.map(String.init) == wanted + ["ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"])
        #expect(text.contains("\(page.name) - "))
        let seen = Self.section("SEE ALSO", of: text).joined(separator: " ")
        for other in ManualPage.all where other.fileName != name {
            #expect(seen.contains(other.reference), "\(other.reference)")
        }
        #expect(text.contains("dtvr 1.2.3") && text.contains("2026-11-20"))
    }

    @Test(arguments: CommandRegistry.declarations)
    func commandPage_hasExactlyItsSettings_withTheirDefaults(command: CommandDeclaration) async throws {
        let options = Self.section("OPTIONS", of: try await Self.rendered(ManualPage(command)))
        let terms = options.filter { $0.hasPrefix("       --") }.map { $0.drop { $0 == " " } }
        let settings = command.settings
        #expect(terms.count == settings.count)
        let words = options.joined(separator: " ").split(separator: " ").joined(separator: " ")
        for setting in settings {
            #expect(terms.contains { $0.hasPrefix(setting.usage) }, "\(setting.name)")
            // On the page, the help begins with a capital letter.
            #expect(words.contains(setting.help.dropFirst()), "\(setting.name)")
            if let value = setting.defaultText { #expect(words.contains("The default is \(value).")) }
        }
    }

    @Test func configurationPage_hasEveryKey_variable_andRange() async throws {
        let page = ManualPage(subject: .configuration)
        let lines = Self.section("SETTINGS", of: try await Self.rendered(page))
        let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        for setting in CommandRegistry.declarations.flatMap(\.settings) {
            #expect(
                lines.contains { $0.hasPrefix("       \(setting.name) ") || $0 == "       \(setting.name)" },
                "\(setting.name)")
            #expect(words.contains(" \(setting.variable)"), "\(setting.name)")
            #expect(words.contains("\(setting.help). Takes \(setting.values)."), "\(setting.name)")
        }
        _ = try ConfigurationFile(parsing: ManualPage.configurationExample)
    }

    /// Characters that roff would interpret, and a name that is not a sentence.
    @Test func text_withRoffControlCharacters_isShownLiterally() async throws {
        var text = ManualText(title: "signs", section: 1, date: "2026-11-20", version: "1")
        text.section("NAME")
        text.name("signs", "of roff")
        text.section("DESCRIPTION")
        text.paragraph(".hidden \\fBnot bold 'quoted' \"twice\" a~b ^ `c` é --flag, (--other) page(1).")
        text.verbatim([".TH", "'\\\" comment"])
        let result = try await FinishedProcess.of(
            "/usr/bin/mandoc", ["-T", "utf8", "-O", "width=78"], input: Data(text.source.utf8))
        let shown = String(decoding: result.output, as: UTF8.self).replacing(/.\u{8}/, with: "")
        #expect(
            shown.contains(
                ".hidden \\fBnot bold 'quoted' \"twice\" a~b ^ `c` é --flag, (--other)\n       page(1).\n"),
            "\(shown)")
        #expect(shown.contains("           .TH\n           '\\\" comment\n"), "\(shown)")
        #expect(ManualText.sentence("time.gap: from here") == "time.gap: from here")
        #expect(ManualText.sentence("list, export: the rest") == "list, export: the rest")
        #expect(ManualText.sentence("color the output; auto: on") == "Color the output; auto: on")
    }

    @Test func manual_withoutAPage_listsAllPages_andWithOnePrintsIt() async throws {
        let list = try await Tool.run("manual")
        #expect(list.status == 0)
        #expect(list.outputLines.map(String.init) == ManualPage.all.map(\.fileName))
        let page = try await Tool.run(
            "manual", "dtvr-scan.1", environment: ["SOURCE_DATE_EPOCH": "1795176000"])
        #expect(page.status == 0 && page.output.hasPrefix(".TH DTVR\\-SCAN 1 2026-11-20 \"dtvr "))
        let wrong = try await Tool.run("manual", "dtvr-scna.1")
        #expect(wrong.status == 2 && wrong.errors.contains("did you mean 'dtvr-scan.1'?"))
        let two = try await Tool.run("manual", "dtvr.1", "dtvr-scan.1")
        #expect(two.status == 2 && two.errors.contains("unexpected argument 'dtvr-scan.1'"))
        for epoch in ["soon", "-1", "253402300800"] {
            let result = try await Tool.run(
                "manual", "dtvr.1", environment: ["SOURCE_DATE_EPOCH": epoch])
            #expect(result.status == 2 && result.errors.contains("SOURCE_DATE_EPOCH"), "\(epoch)")
        }
    }
}
