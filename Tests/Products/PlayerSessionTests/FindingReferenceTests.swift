import Foundation
import TestSupport
import Testing

@testable import PlayerSession

/// docs/players.md explains every finding that the sources can report.
@Suite struct FindingReferenceTests {
    private static let page = URL(filePath: Project.root + "/docs/players.md")
    private static let start = "<!-- findings -->\n"
    private static let end = "<!-- end of findings -->"

    /// DTVR_UPDATE_DOCS=1 writes the table instead of comparing it.
    ///
    /// If CI is set too, the test fails.
    @Test func findingTable_inTheDocumentation_matchesTheReference() throws {
        var page = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(page.firstRange(of: Self.start)?.upperBound)
        let end = try #require(page.firstRange(of: Self.end)?.lowerBound)
        let environment = ProcessInfo.processInfo.environment
        if environment["DTVR_UPDATE_DOCS"] == "1" {
            try #require(environment["CI", default: ""].isEmpty, "CI compares documents, and writes none")
            page.replaceSubrange(start..<end, with: FindingReference.markdown)
            try page.write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(page[start..<end] == FindingReference.markdown)
    }

    @Test func findings_areDeclaredOnce_andExplained() throws {
        let path = Project.root + "/Sources/Products/PlayerSession/Findings/SessionFinding.swift"
        let source = try String(contentsOfFile: path, encoding: .utf8)
        let ids = source.matches(of: /SessionFinding\("([a-z.-]+)"\)/).map { String($0.1) }
        #expect(ids.count == Set(ids).count && ids.count >= 25)
        #expect(Set(ids) == Set(FindingReference.entries.map(\.finding.rawValue)))
        #expect(FindingReference.entries.count == ids.count)
    }
}

extension FindingReference {
    /// The table of findings for docs/players.md.
    fileprivate static var markdown: String {
        let rows = entries.map {
            "| `\($0.finding)` | \($0.meaning) | \($0.action) | \($0.rule.source) |\n"
        }
        return "| finding | meaning | what to do | source |\n| --- | --- | --- | --- |\n" + rows.joined()
    }
}
