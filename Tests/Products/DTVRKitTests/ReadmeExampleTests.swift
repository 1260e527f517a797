import DTVRKit
import Foundation
import TestSupport
import Testing

/// The examples of the README, as they stand there: what a program that links the library writes.
@Suite struct ReadmeExampleTests {
    private static let demo =
        Project.demo

    @Test func segment_demuxedAndDecoded_givesTheFieldsOfItsTags() throws {
        let path = Self.demo + "/v360/seg00000.ts"
        var lines: [String] = []

        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        try demuxer.feed(bytes.span)
        for metadata in try demuxer.endSegment().tags {
            guard let tag = NielsenTag(tagBytes: metadata.bytes.span) else { continue }
            let sequence = tag.sequence.map(String.init) ?? "unreadable"
            lines.append("tag \(sequence) at \(metadata.time?.seconds ?? 0) s, problems: \(tag.problems.ids)")
        }

        #expect(!lines.isEmpty)
        #expect(lines.first?.hasPrefix("tag 0 at ") == true)
        #expect(lines.allSatisfy { $0.hasSuffix("problems: []") })
    }

    @Test func playlist_readToItsEnd_givesARecordOfEachTag() async throws {
        let source = Self.demo + "/index.m3u8"
        var lines: [String] = []

        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0"))
        let fetcher = ResourceFetcher(client: client)
        let programme = try await InputResolver(fetcher: fetcher).resolve(source)
        let reader = ProgrammeReader(programme, fetcher: fetcher)
        while let segment = await reader.readNext() {
            if case .failed(let error) = segment.outcome { lines.append(error.message) }
            for record in segment.tags {
                lines.append("\(record.origin.segment ?? "") \(record.seconds ?? 0) \(record.problemIDs)")
            }
        }

        #expect(lines.count == 13)
        #expect(lines.first?.hasPrefix("seg00000.ts ") == true)
        #expect(lines.allSatisfy { $0.hasSuffix(" []") })
    }

    @Test func programme_judgedWhileItIsRead_givesAVerdict() async throws {
        let source = Self.demo + "/index.m3u8"
        var lines: [String] = []

        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0"))
        let fetcher = ResourceFetcher(client: client)
        let programme = try await InputResolver(fetcher: fetcher, choice: .comparable).resolve(source)
        let reader = ProgrammeReader(programme, fetcher: fetcher, observes: true)
        var checker = PresentationChecker(programme.outline)
        while let segment = await reader.readNext() {
            if let observation = segment.observation { checker.observe(observation) }
        }
        let verdict = checker.finish()
        for outcome in verdict.outcomes where outcome.status > .pass {
            lines.append("\(outcome.id) \(outcome.status): \(outcome.findings.first?.detail ?? "")")
        }

        #expect(verdict.status == .pass)
        #expect(lines.isEmpty)
        #expect(verdict.tags.data == 12 && verdict.renditions.count == 3)
    }
}
