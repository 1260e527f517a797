import HTTPTransfer
import NielsenID3
import TagRecord
import TestSupport
import Testing

@testable import HLSInput

/// The renditions of a multivariant playlist that are read, and the merging of a tag that several of them carry.
@Suite(.timeLimit(.minutes(30))) struct RenditionTests {
    /// Three variants, two audio renditions and subtitles; every rendition has all segments of the stream.
    private static let multivariant = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",URI="one.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="two",DEFAULT=YES,URI="two.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="text",URI="text.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=500,AUDIO="a",RESOLUTION=640x360
        middle.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=100,AUDIO="a",RESOLUTION=320x180
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=900,AUDIO="a",RESOLUTION=960x540
        high.m3u8
        """

    private static func read(
        _ choice: RenditionChoice, segments: [String: [Int]] = [:]
    ) async throws -> InputReading {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        for name in ["one", "two", "middle", "low", "high"] {
            try folder.write("\(name).m3u8", stream.playlist(segments: segments[name] ?? [0, 1, 2, 3, 4]))
        }
        return try await InputReading(folder.write("main.m3u8", multivariant), choice: choice)
    }

    @Test(
        arguments: [
            ("lowest", ["low.m3u8", "two.m3u8"]), ("highest", ["high.m3u8", "two.m3u8"]),
            ("audio", ["two.m3u8"]), ("middle.m3u8", ["middle.m3u8"]), ("one.m3u8", ["one.m3u8"]),
            ("all", ["middle.m3u8", "low.m3u8", "high.m3u8", "one.m3u8", "two.m3u8"]),
        ])
    func choice_readsItsRenditions_andEachTagOnce(word: String, renditions: [String]) async throws {
        let stream = try SyntheticStream.transport.get()
        let reading = try await Self.read(RenditionChoice(word))
        #expect(reading.owners == stream.owners)
        #expect(reading.tags.allSatisfy { $0.origin.place.renditions.first == renditions.first })
        #expect(reading.tags.allSatisfy { Set($0.origin.place.renditions) == Set(renditions) })
        #expect(reading.readings.count == 5 * renditions.count)
    }

    @Test func comparableRenditions_areTheVariantsAndTheirDefaultAudio_eachOnce() async throws {
        let stream = try SyntheticStream.transport.get()
        let reading = try await Self.read(.comparable)
        #expect(reading.owners == stream.owners)
        let expected = ["middle.m3u8", "low.m3u8", "high.m3u8", "two.m3u8"]
        #expect(reading.tags.allSatisfy { Set($0.origin.place.renditions) == Set(expected) })
    }

    @Test func variants_nameTheDefaultAudioOfTheirGroup() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for name in ["one", "two", "middle", "low", "high"] {
            try folder.write("\(name).m3u8", stream.playlist())
        }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let resolver = InputResolver(fetcher: try ResourceFetcher(client: client), choice: .comparable)
        let presentation = try await resolver.resolve(folder.write("main.m3u8", Self.multivariant))
        #expect(presentation.renditions.map(\.uri) == ["middle.m3u8", "low.m3u8", "high.m3u8", "two.m3u8"])
        #expect(presentation.renditions.map(\.audioURI) == ["two.m3u8", "two.m3u8", "two.m3u8", nil])
    }

    @Test func choice_ofARenditionNotListed_isAnError() async throws {
        await #expect {
            _ = try await Self.read(.uri("other.m3u8"))
        } throws: { error in
            guard case InputError.noSuchRendition("other.m3u8", _) = error else { return false }
            return true
        }
    }

    @Test func audioChoice_withoutAnAudioGroup_isTheAudioOnlyOrLowestVariant() async throws {
        let stream = try SyntheticStream.transport.get()
        for (codecs, expected) in [("mp4a.40.2", "sound.m3u8"), ("avc1.4D401E,mp4a.40.2", "low.m3u8")] {
            let folder = try TemporaryFolder()
            for (name, bytes) in stream.files { try folder.write(name, bytes) }
            for name in ["low", "sound"] { try folder.write("\(name).m3u8", stream.playlist()) }
            let multivariant = """
                #EXTM3U
                #EXT-X-STREAM-INF:BANDWIDTH=100,CODECS="avc1.4D401E,mp4a.40.2",RESOLUTION=320x180
                low.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=200,CODECS="\(codecs)"
                sound.m3u8
                """
            let reading = try await InputReading(folder.write("main.m3u8", multivariant), choice: .audio)
            #expect(Set(reading.tags.flatMap(\.origin.place.renditions)) == [expected])
        }
    }

    @Test func renditions_ofDifferentLengths_yieldTheUnionOfTheirTags() async throws {
        let stream = try SyntheticStream.transport.get()
        let reading = try await Self.read(.lowest, segments: ["low": [0, 1], "two": [0, 1, 2, 3, 4]])
        #expect(reading.owners == stream.owners)
        for record in reading.tags {
            let isLate = (record.origin.place.mediaSequence ?? 0) >= 2
            #expect(record.origin.place.renditions == (isLate ? ["two.m3u8"] : ["low.m3u8", "two.m3u8"]))
        }
    }

    @Test func unreadableRendition_isNoted_andTheOtherIsRead() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        try folder.write("two.m3u8", stream.playlist())
        let reading = try await InputReading(folder.write("main.m3u8", Self.multivariant))
        #expect(reading.owners == stream.owners)
        #expect(reading.notes.count == 1 && reading.notes.first?.contains("low.m3u8") == true)
        #expect(reading.tags.allSatisfy { $0.origin.place.renditions == ["two.m3u8"] })
    }
}
