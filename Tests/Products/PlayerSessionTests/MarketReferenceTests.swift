import Foundation
import TestSupport
import Testing

@testable import PlayerSession

/// docs/markets.md contains every rule of every market.
@Suite struct MarketReferenceTests {
    private static let page = URL(filePath: Project.root + "/docs/markets.md")

    /// DTVR_UPDATE_DOCS=1 writes the page instead of comparing it.
    ///
    /// If CI is set too, the test fails.
    @Test func marketsPage_matchesTheGeneratedMarkdown() throws {
        let environment = ProcessInfo.processInfo.environment
        if environment["DTVR_UPDATE_DOCS"] == "1" {
            try #require(environment["CI", default: ""].isEmpty, "CI compares documents, and writes none")
            try MarketReference.markdown.write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == MarketReference.markdown)
    }

    /// No cell of a table contains a vertical bar, and every test that the page names exists.
    @Test func tables_haveCompleteRows() throws {
        var columnCount = 0
        for line in MarketReference.markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                columnCount = 0
                continue
            }
            let count = line.split(separator: "|").count
            if columnCount > 0 { #expect(count == columnCount, "\(line)") }
            columnCount = count
        }
        let folder = Project.root + "/Tests/Products/PlayerSessionTests/"
        for call in GuideCall.all {
            #expect(FileManager.default.fileExists(atPath: folder + call.test + ".swift"), "\(call.test)")
        }
    }

    @Test func contradictions_nameTheirSources() {
        for contradiction in GuideContradiction.all { #expect(!contradiction.sources.isEmpty) }
        #expect(GuideContradiction.all.count >= 20 && GuideExclusion.all.count >= 8)
    }
}
