import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing
import TextForms

@testable import Reporting

/// Pages in a real browser: the displayed contents, and the complaints in the console.
@Suite(.timeLimit(.minutes(30)), .serialized, .enabled(if: Chromium.isInstalled, "chromium is not installed"))
struct ChromiumTests {
    @Test func pageOfDamagedStream_loadsWithoutComplaints() async throws {
        let page = try await Chromium.open(try PageSamples.named("damaged"))
        #expect(page.complaints.isEmpty)
        #expect(page.matches == ["246 tags"])
        #expect(page.rowCount == 100)
    }

    // A number matches a sequence number or part of a name: 102 is the sequence number of a tag and the end of a
    // segment's name. A time matches part of a tag's first time, or a media time.
    @Test(arguments: [
        ("kind=INFO", "8 of 246 tags", 8), ("q=102", "2 of 246 tags", 2), ("q=17:20", "8 of 246 tags", 8),
        ("problem=none", "235 of 246 tags", 100), ("kind=DATA&problem=any&q=checksum", "6 of 246 tags", 6),
        ("q=nowhere", "0 of 246 tags", 0),
    ])
    func filter_showsOnlyMatchingTags(fragment: String, matches: String, rows: Int) async throws {
        let page = try await Chromium.open(try PageSamples.named("damaged"), fragment: fragment)
        #expect(page.matches == [matches])
        #expect(page.rowCount == rows)
    }

    @Test func rows_areSortedByTheChosenColumn() async throws {
        let page = try await Chromium.open(
            try PageSamples.named("damaged"), fragment: "kind=INFO&sort=-sequence")
        let sequences = page.rows.compactMap { Int($0[4]) }
        #expect(sequences == sequences.sorted(by: >))
        #expect(sequences.count == 8)
    }

    @Test func contentIDs_areAbbreviated_andFullOnDemand() async throws {
        let short = try await Chromium.open(try PageSamples.named("damaged"), fragment: "kind=DATA")
        let full = try await Chromium.open(try PageSamples.named("damaged"), fragment: "kind=DATA&cids=full")
        #expect(full.complaints.isEmpty)
        #expect(full.matches == short.matches && full.rows.count == short.rows.count)
        let ids = Set(try PageSamples.named("damaged")[0].tracks[0].contentIDs.map(\.text))
        for (short, full) in zip(short.rows, full.rows) {
            for column in [7, 8] where short[column] != "–" {
                #expect(ids.contains(full[column]), "\(full[column])")
                #expect(short[column] == "none" || short[column] == full[column].prefix(8) + "…")
            }
        }
        #expect(full.rows.allSatisfy { $0.count == short.rows.first?.count })
        #expect(full.rows.contains { $0[7].count == 24 })
    }

    @Test func renditionFilter_showsOnlyTagsOfThatRendition() async throws {
        let page = try await Chromium.open(
            try PageSamples.named("renditions"), fragment: "rendition=1&kind=INFO")
        #expect(page.complaints.isEmpty)
        #expect(page.rows.map { $0[0] } == ["2", "2"])
    }

    @Test func linkToTag_showsItsPage() async throws {
        let page = try await Chromium.open(try PageSamples.named("damaged"), fragment: "tag=150")
        #expect(page.rows.first?[0] == "101")
        #expect(page.html.contains("class=\"chosen\""))
    }

    @Test func hostileNames_runNoScript() async throws {
        let page = try await Chromium.open(try PageSamples.named("hostile"))
        #expect(page.complaints.isEmpty)
        #expect(page.rows.first?[9].contains("</script><script>alert(1)</script>") == true)
    }

    @Test func injectedScript_isBlocked() async throws {
        let bytes = PageReport.bytes(try PageSamples.named("damaged"), producer: "dtvr", made: nil)
        let text = String(decoding: bytes, as: UTF8.self).replacing(
            "</main>", with: "</main><script>document.title = 'taken'</script>")
        let page = try await Chromium.open(Array(text.utf8))
        #expect(page.complaints.contains { $0.contains("Content Security Policy") })
        #expect(!page.html.contains("<title>taken"))
    }

    @Test func page_withScriptsBlocked_showsTheFirst100Tags() async throws {
        let bytes = PageReport.bytes(try PageSamples.named("damaged"), producer: "dtvr", made: nil)
        // The digest of the changed script is not in the policy, so the browser does not run it, as if scripts were
        // off.
        let text = String(decoding: bytes, as: UTF8.self).replacing("<script>", with: "<script> ")
        let page = try await Chromium.open(Array(text.utf8))
        #expect(page.complaints.contains { $0.contains("Content Security Policy") })
        #expect(page.rowCount == 100)
        #expect(page.matches == ["100 of 246 tags; enable JavaScript to list the others"])
        #expect(page.html.contains("role=\"search\" hidden"))
    }

    @Test func rowsOmittedFromPrint_areCounted() async throws {
        let all = try await Chromium.open(try PageSamples.named("damaged"))
        #expect(all.html.contains(">Not printed: 146 rows of this table.<"))
        let last = try await Chromium.open(try PageSamples.named("damaged"), fragment: "page=3")
        #expect(last.html.contains(">Not printed: 200 rows of this table.<"))
        let filtered = try await Chromium.open(try PageSamples.named("damaged"), fragment: "kind=INFO")
        #expect(filtered.html.contains("class=\"left-out\"></p>"))
    }

    @Test func hundredThousandTags_areSearchable() async throws {
        let report = PageSamples.long(tags: 100_000)
        let page = try await Chromium.open([report], fragment: "problem=tag.checksum&sort=-position")
        #expect(page.complaints.isEmpty)
        let expected = report.tracks[0].tags.count { $0.problems.contains(.tagChecksum) }
        #expect(
            page.matches == [
                "\(DecimalText.grouped(expected)) of \(DecimalText.grouped(report.tracks[0].tagCount)) tags"
            ])
        #expect(page.rowCount == 100)
    }
}
