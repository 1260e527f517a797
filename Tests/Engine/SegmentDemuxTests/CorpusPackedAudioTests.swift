import ID3v2
import Testing

@testable import SegmentDemux

/// Packed audio of the corpus, compared with the tags found by mutagen and a structural walk, and ffprobe's frames.
@Suite(.enabled(if: CorpusFiles.isPresent, "the reference files are absent"))
struct CorpusPackedAudioTests {
    private static let paths = [".aac", ".mp3", ".ac3", ".eac3", ".adts"]
        .flatMap { CorpusFiles.paths(endingIn: $0) }

    /// Files without a truth file, because they have no tag.
    private static let withoutTruth = Set(paths).subtracting(
        CorpusFiles.paths(endingIn: ".truth.json").map { String($0.dropLast(11)) })

    @Test func leadingTags_ofEachFile_matchTheReference() throws {
        var tagCount = 0
        for path in Self.paths where !Self.withoutTruth.contains(path) {
            let truth = try CorpusFiles.truth(path)
            let tags = truth["leading_tags"] as? [[String: Any]] ?? []
            var demuxer = PackedAudioDemuxer()
            let segment = try demuxer.segment(try CorpusFiles.bytes(path))
            for (index, tag) in tags.enumerated() {
                let found = try #require(index < segment.tags.count ? segment.tags[index] : nil, "\(path)")
                #expect(found.offset == tag["offset"] as? Int, "\(path)")
                let isTruncated = tag["truncated"] as? Bool == true
                let total = tag["total"] as? Int ?? 0
                #expect((found.completeness == .complete) == !isTruncated, "\(path)")
                if !isTruncated { #expect(found.bytes.count == total, "\(path)") }
                tagCount += 1
            }
        }
        #expect(tagCount > 30)
    }

    /// The time of the last frame in seconds, from `ffprobe -f aac|mp3|ac3|eac3 -show_entries packet=pts_time` (5.1.9).
    @Test(
        arguments: [
            ("exoplayer/media/ts/sample.ac3", .ac3, 0.256),
            ("exoplayer/media/ts/sample.adts", .aac, 3.320454),
            ("exoplayer/media/ts/sample_with_id3.adts", .aac, 3.320454),
            ("exoplayer/media/ts/sample.eac3", .eac3, 0.282667),
            ("from-issues/apple-bipbop-gear0-fileSequence0.head.aac", .aac, 0.046440),
            ("http-streaming/ac3WithId3.ac3", .ac3, 0.96),
            ("muxjs/segments/test-aac-segment.aac", .aac, 9.961361),
            ("taglib-sharp/sample.aac", .aac, 7.337506),
            ("mutagen/bad-TYER-frame.mp3", .mp3, 0.914286),
            ("dhowden-tag/testdata/with_tags/sample.id3v23.mp3", .mp3, 3.422041),
        ] as [(String, CarriageFacts.AudioFormat, Double)])
    func lastFrame_ofAFile_hasTheTimeFFprobeReports(
        path: String, format: CarriageFacts.AudioFormat, seconds: Double
    ) throws {
        let bytes = timestampTag(0) + (try CorpusFiles.bytes(path))
        var demuxer = PackedAudioDemuxer()
        let segment = try demuxer.segment(bytes)
        #expect(segment.facts.container == .packedAudio(format))
        let first = try #require(segment.facts.latestMediaTime?.seconds)
        // A timestamp in the file starts another timeline.
        let start = segment.tags.dropFirst().compactMap { TransportStreamTimestamp.read(tag: $0.bytes.span) }
            .first
        #expect(abs(first - Double(start ?? 0) / 90_000 - seconds) < 2.0 / 90_000)
    }

    @Test func laterTag_ofTheSample_isFound() throws {
        var demuxer = PackedAudioDemuxer()
        let segment = try demuxer.segment(
            try CorpusFiles.bytes("exoplayer/media/ts/sample_with_id3.adts"))
        #expect(segment.tags.map(\.offset) == [0, 85])
        #expect(segment.tags.map(\.bytes.count) == [55, 86])
    }

    @Test func packedAudioFile_inChunks_isDemuxedIdentically() throws {
        #expect(Self.paths.count >= 40)
        for path in Self.paths {
            let bytes = try CorpusFiles.bytes(path)
            var demuxer = PackedAudioDemuxer()
            let whole = try demuxer.segment(bytes)
            for chunk in [1, 2, 7, 188, 1_000, 4_096] {
                #expect(try demuxer.segment(bytes, chunk: chunk) == whole, "\(path) by \(chunk)")
                #expect(
                    try demuxer.segment(bytes, chunk: chunk, skipping: true) == whole, "\(path) by \(chunk)")
            }
        }
    }
}
