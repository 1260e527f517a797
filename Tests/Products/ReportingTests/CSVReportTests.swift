import Foundation
import NielsenID3
import StreamHealth
import Testing

@testable import Reporting

@Suite struct CSVReportTests {
    private func tags() throws -> [TagOccurrence] {
        try (0..<4).map { index in
            let owner = SampleStream.owner(
                sequence: UInt16(50 + index), first: 1_448_385_600 + UInt32(index * 10),
                last: 1_448_385_609 + UInt32(index * 10), isChecksumValid: index != 2)
            return try #require(
                SampleStream.tag(
                    owner, at: Double(index * 10), segment: index == 3 ? "a,\"b\".ts" : "seg\(index).ts",
                    mediaSequence: UInt64(index)))
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func report() throws -> CSVReport {
        var report = CSVReport(source: "media/index.m3u8", rendition: "v1/index.m3u8")
        for tag in try tags() { report.append(tag) }
        return report
    }

    @Test func tagsWithFindings_asCSV_matchTheGoldenFile() throws {
        var report = try report()
        report.mark(.sequenceStep, .fail, tagIndex: 3)
        report.mark(.cidChange, .pass, tagIndex: 1)
        try Golden.expect(text(CSVReport.header + report.drainRows()), equals: "tags.csv")
    }

    @Test func rows_drainedInTwoParts_areUnchanged() throws {
        var whole = try report()
        let expected = text(whole.drainRows())
        for count in 0...4 {
            var report = try report()
            let first = report.drainRows(before: count)
            #expect(first.count { $0 == 0x0A } == count)
            #expect(text(first + report.drainRows()) == expected)
            #expect(report.tagCount == 4)
        }
    }

    @Test func drainedRow_cannotBeMarked() throws {
        var report = try report()
        _ = report.drainRows(before: 2)
        #expect(report.mark(.timeGap, .fail, tagIndex: 1) == false)
        #expect(report.mark(.timeGap, .fail, tagIndex: 2) == true)
        #expect(report.mark(.timeGap, .fail, tagIndex: 4) == false)
        let rows = text(report.drainRows()).split(separator: "\n")
        #expect(rows[0].hasSuffix(",tag.checksum time.gap"))
        #expect(rows[1].hasSuffix(","))
    }

    @Test func drain_withIndexOutOfRange_returnsTheAvailableRows() throws {
        var report = try report()
        #expect(report.drainRows(before: -1).isEmpty)
        #expect(report.drainRows(before: 99).count { $0 == 0x0A } == 4)
        #expect(report.drainRows().isEmpty)
    }

    @Test func problems_areInCheckOrder() throws {
        var report = CSVReport(source: "x", rendition: nil)
        report.append(try #require(try tags().first))
        for check in CheckID.all.reversed() { report.mark(check, .warn, tagIndex: 0) }
        let all = CheckID.all.map(\.rawValue).joined(separator: " ")
        #expect(text(report.drainRows()).hasSuffix(",\(all)\n"))
    }
}
