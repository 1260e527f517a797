import Foundation
import HLSPlaylist
import ID3v2
import NielsenID3
import TestSupport
import Testing

@testable import StreamHealth

@Suite struct CheckReferenceTests {
    private static let page = URL(filePath: Project.root + "/docs/checks.md")

    /// docs/checks.md matches the code.
    ///
    /// With DTVR_UPDATE_DOCS=1 the test writes the page first, unless CI is set: a page written there would always
    /// match.
    @Test func page_inRepository_matchesGeneratedMarkdown() throws {
        let environment = ProcessInfo.processInfo.environment
        if environment["DTVR_UPDATE_DOCS"] == "1" {
            try #require(environment["CI", default: ""].isEmpty, "CI compares documents, and writes none")
            try Data(CheckReference.markdown.utf8).write(to: Self.page)
        }
        let kept = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(
            kept == CheckReference.markdown,
            "docs/checks.md is out of date: DTVR_UPDATE_DOCS=1 swift test --filter CheckReferenceTests"
        )
    }

    /// Each id is in the table with a link to its anchor, in order, and each anchor occurs once.
    @Test func page_listsEveryCheckInOrderAndEveryLimit() throws {
        let lines = CheckReference.markdown.split(separator: "\n")
        let links = lines.filter { $0.hasPrefix("| [`") }.compactMap { line -> Substring? in
            guard let start = line.firstRange(of: "](#")?.upperBound else { return nil }
            return line[start...].prefix { $0 != ")" }
        }
        let ids = (CheckID.all + CheckID.ofMonitorOnly).map(\.rawValue)
        #expect(links.map(String.init) == ids)
        let anchors = lines.filter { $0.hasPrefix("<a id=\"") }.map { $0.dropFirst(7).prefix { $0 != "\"" } }
        #expect(anchors.map(String.init) == ids + ["limits", "rules"])
        for limit in HealthLimit.all + HealthLimit.ofMonitorOnly {
            #expect(lines.count { $0.hasPrefix("| `\(limit.name)` | ") } == 1)
        }
        // A bar in a text would end the cell of the table.
        for line in lines where line.hasPrefix("| ") {
            let isRule = line.hasPrefix("| <a id=") || line == "| id | meaning |" || line == "| --- | --- |"
            let isCheck =
                line.hasPrefix("| [`") || line.hasPrefix("| id | problem |")
                || line.hasSuffix(" --- | --- | --- |")
            let isLimit = line.contains(" --: ")
            #expect(line.count { $0 == "|" } == (isRule ? 3 : isCheck && !isLimit ? 6 : 5), "\(line)")
        }
    }

    /// Every id that the parsers can print is explained exactly once.
    @Test func page_listsEveryParserRuleOnce() {
        let ids = MalformedRule.allCases.map(\.rawValue) + PlaylistProblem.Rule.allCases.map(\.rawValue)
        #expect(ReportedRule.all.map(\.id) == ids)
        let checks = (CheckID.all + CheckID.ofMonitorOnly).map(\.rawValue)
        #expect(Set(ids + checks).count == ids.count + checks.count)
        for rule in ReportedRule.all {
            #expect(rule.explanation.hasSuffix("."), "\(rule.id)")
            let anchor = "<a id=\"\(rule.id)\"></a>`\(rule.id)` | "
            #expect(CheckReference.markdown.contains(anchor), "\(rule.id)")
        }
    }
}
