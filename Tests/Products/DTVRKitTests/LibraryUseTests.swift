import DTVRKit
import Foundation
import TestSupport
import Testing

/// A program that reads a segment, a playlist and an entire input with the one import of the library.
@Suite(.timeLimit(.minutes(30))) struct LibraryUseTests {
    private static let demo =
        Project.demo

    @Test func segment_demuxedAndDecoded_yieldsItsTagFields() throws {
        let path = Self.demo + "/v360/seg00000.ts"
        var lines: [String] = []

        let policy = TagPolicy()
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        try demuxer.feed(bytes.span)
        for metadata in try demuxer.endSegment().tags {
            guard let tag = NielsenTag(tagBytes: metadata.bytes.span) else { continue }
            let sequence = tag.sequence.map(String.init) ?? "unreadable"
            lines.append(
                "tag \(sequence) at \(metadata.time?.seconds ?? 0) s, problems: \(policy.problems(of: tag))")
        }

        #expect(!lines.isEmpty)
        #expect(lines.first?.hasPrefix("tag 0 at ") == true)
        #expect(lines.allSatisfy { $0.hasSuffix("problems: []") })
    }

    @Test func playlist_readToItsEnd_yieldsARecordPerTag() async throws {
        let source = Self.demo + "/index.m3u8"
        var lines: [String] = []

        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0"))
        let fetcher = try ResourceFetcher(client: client)
        let presentation = try await InputResolver(fetcher: fetcher).resolve(source)
        for await segment in presentation.readings(through: fetcher) {
            if case .failed(let error) = segment.outcome { lines.append(error.message) }
            for record in segment.tags {
                lines.append("\(record.origin.place.segment ?? "") \(record.seconds ?? 0) \(record.problems)")
            }
        }

        #expect(lines.count == 13)
        #expect(lines.first?.hasPrefix("seg00000.ts ") == true)
        #expect(lines.allSatisfy { $0.hasSuffix(" []") })
    }

    @Test func presentation_readForAVerdict_passesWithAllItsRenditions() async throws {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0"))
        let fetcher = try ResourceFetcher(client: client)
        let presentation = try await InputResolver(fetcher: fetcher, choice: .all).resolve(
            Self.demo + "/index.m3u8")
        let verdict = await presentation.verdict(through: fetcher)
        #expect(verdict.status == .pass)
        #expect(verdict.outcomes.filter { $0.status > .pass }.isEmpty)
        #expect(verdict.tags.data == 12 && verdict.renditions.count == 3)
    }
}
