import ID3v2
import NielsenID3
import StreamHealth
import StreamSynthesis
import TestSupport
import Testing

@testable import HLSInput

/// The observations of each segment and tag, compared with the report of the synthesizer.
@Suite(.timeLimit(.minutes(30))) struct SegmentObservationTests {
    private static func observe(
        _ stream: SyntheticStream, in folder: TemporaryFolder, _ playlist: String? = nil
    ) async throws -> [SegmentObservation] {
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        if let playlist { try folder.write("index.m3u8", playlist) }
        return try await observe(folder.path + "/index.m3u8")
    }

    private static func observe(_ input: String, jobs: Int = 1) async throws -> [SegmentObservation] {
        let reading = try await InputReading(input, choice: .all, jobs: jobs)
        return reading.readings.map(\.observation)
    }

    /// Returns the seconds from the first tag of the stream to a tag, also across a wrap.
    private static func distance(_ tag: ScheduledTag, in stream: SyntheticStream) -> Double {
        let first: UInt64 = stream.tags.first?.pts ?? 0
        let mask: UInt64 = 1 << 33 - 1
        return Double((tag.pts &- first) & mask) / 90_000
    }

    private static func isClose(_ one: Double?, _ other: Double, within limit: Double = 0.001) -> Bool {
        one.map { abs($0 - other) <= limit } ?? false
    }

    @Test(arguments: [false, true])
    func segments_ofAPlaylist_haveDurationsPositionsAndDates(isFragmented: Bool) async throws {
        let stream = try (isFragmented ? SyntheticStream.fragmented : SyntheticStream.transport).get()
        let observations = try await Self.observe(stream, in: TemporaryFolder())
        let segments = observations.compactMap(\.segment)
        #expect(segments.map(\.name) == stream.segmentNames)
        #expect(segments.map(\.mediaSequence) == [0, 1, 2, 3, 4])
        for (index, segment) in segments.enumerated() {
            // A segment contains complete audio frames, 21.3 ms each.
            #expect(Self.isClose(segment.duration, 4, within: 0.022))
            #expect(Self.isClose(segment.position, Double(4 * index), within: 0.022))
            #expect(
                Self.isClose(
                    segment.programDateTime.map(Double.init), 1_795_176_000_000 + segment.position * 1_000,
                    within: 1))
            #expect(!segment.isDiscontinuity)
            let container = try #require(segment.facts?.container)
            #expect(
                container
                    == (isFragmented
                        ? .fragmentedMP4(isInitialization: false) : .transportStream(packetSize: 188)))
        }
        let ends = zip(segments, segments.dropFirst())
        #expect(ends.allSatisfy { Self.isClose($0.position + $0.duration, $1.position) })
    }

    @Test(arguments: [false, true])
    func tags_matchTheSyntheticStream_atTheirPositions(isFragmented: Bool) async throws {
        let stream = try (isFragmented ? SyntheticStream.fragmented : SyntheticStream.transport).get()
        let tags = try await Self.observe(stream, in: TemporaryFolder()).flatMap(\.tags)
        #expect(tags.map { String(decoding: $0.tag.ownerIdentifier, as: UTF8.self) } == stream.owners)
        for (tag, made) in zip(tags, stream.tags) {
            #expect(Self.isClose(tag.position, Self.distance(made, in: stream)))
            #expect(Self.isClose(tag.seconds, Double(made.pts) / 90_000))
            let segment = stream.segment(of: made)
            #expect(tag.origin.place.segment == stream.segmentNames[segment])
            #expect(tag.origin.place.mediaSequence == UInt64(segment))
            #expect(!tag.isTruncated)
            #expect(
                Self.isClose(
                    tag.origin.place.programDateTime.map(Double.init),
                    1_795_176_000_000 + tag.position * 1_000,
                    within: 1)
            )
            // A synthetic tag fills two transport packets after the audio with its time. The time of that audio is
            // known only for its PES packet, which may contain several frames.
            let transport = tag.transport
            #expect(transport?.packetCount == (isFragmented ? nil : 2))
            #expect(transport?.fillsPackets == (isFragmented ? nil : true))
            if !isFragmented {
                let ticks = try #require(transport?.precedingMediaTime?.ticks)
                #expect((0..<45_000).contains(Int(made.pts) - Int(ticks)))
            }
        }
    }

    @Test(arguments: [1, 4])
    func folder_withoutAPlaylist_takesDurationsAndPositionsFromAudio(jobs: Int) async throws {
        for stream in [try SyntheticStream.transport.get(), try SyntheticStream.wrapping.get()] {
            let folder = try TemporaryFolder()
            for name in stream.segmentNames { try folder.write(name, stream.files[name] ?? []) }
            let observations = try await Self.observe(folder.path, jobs: jobs)
            for (index, observation) in observations.enumerated() {
                let segment = try #require(observation.segment)
                #expect(segment.mediaSequence == nil && segment.programDateTime == nil)
                #expect(segment.name == stream.segmentNames[index])
                // The last frames of audio begin before the segment ends; they count with the next one.
                #expect(Self.isClose(segment.position, Double(4 * index), within: 0.25))
                #expect(Self.isClose(segment.duration, 4, within: 0.25))
            }
            let segments = observations.compactMap(\.segment)
            let ends = zip(segments, segments.dropFirst())
            #expect(ends.allSatisfy { Self.isClose($0.position + $0.duration, $1.position) })
            #expect(Self.isClose(segments.map(\.duration).reduce(0, +), 20, within: 0.25))
            let tags = observations.flatMap(\.tags)
            #expect(tags.count == stream.tags.count)
            for (tag, made) in zip(tags, stream.tags) {
                #expect(Self.isClose(tag.position, Self.distance(made, in: stream)))
            }
        }
    }

    @Test func timeJumps_withoutAPlaylist_addNoDuration() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (name, segment) in [("a.ts", 0), ("b.ts", 3), ("c.ts", 1)] {
            try folder.write(name, stream[segment])
        }
        let segments = try await Self.observe(folder.path).compactMap(\.segment)
        #expect(Self.isClose(segments[1].position, segments[0].duration))
        #expect(Self.isClose(segments[2].position, segments[0].duration + segments[1].duration))
    }

    @Test func otherFilesInAFolder_areNotSegments() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        try folder.write("a.ts", stream[0])
        try folder.write("notes.txt", "remember the milk")
        try folder.write("p.m3u8", stream.playlist())
        try folder.write("z.ts", stream[1])
        let observations = try await Self.observe(folder.path)
        #expect(observations.map { $0.segment?.name } == ["a.ts", nil, nil, "z.ts"])
        #expect(Self.isClose(observations[3].segment?.position, 4, within: 0.25))
    }

    @Test func gapAndMissingSegment_haveNoFacts_butAdvanceThePosition() async throws {
        let stream = try SyntheticStream.transport.get()
        let playlist = stream.playlist(
            before: { $0 == 1 ? ["#EXT-X-GAP"] : $0 == 4 ? ["#EXT-X-DISCONTINUITY"] : [] },
            uri: { $0 == 3 ? "missing.ts" : stream.segmentNames[$0] })
        let segments = try await Self.observe(stream, in: TemporaryFolder(), playlist).compactMap(\.segment)
        #expect(segments.map { $0.facts == nil } == [false, true, false, true, false])
        #expect(segments.map(\.position) == [0, 4, 8, 12, 16])
        #expect(segments.map(\.duration) == [4, 4, 4, 4, 4])
        #expect(segments.map(\.isDiscontinuity) == [false, false, false, false, true])
    }

    @Test func malformedBytes_areInTheFactsOfTheirSegment() async throws {
        let stream = try SyntheticStream.transport.get()
        var bytes = stream[2]
        let made = try #require(stream.tags.first { stream.segment(of: $0) == 2 })
        // An invalid version in the header of the tag makes it malformed.
        let tag = try #require(bytes.indices.first { bytes[$0...].starts(with: made.bytes.prefix(60)) })
        bytes[tag + 3] = 0xFF
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        try folder.write(stream.segmentNames[2], bytes)
        let segments = try await Self.observe(folder.path + "/index.m3u8").compactMap(\.segment)
        #expect(segments.map { ($0.facts?.malformed.count ?? 0) > 0 } == [false, false, true, false, false])
    }

    /// Two segments are split again between the two transport packets of a tag, and one of them ends inside a tag.
    @Test func tag_belongsToTheSegmentItBeginsIn_evenWhenTruncated() async throws {
        let stream = try SyntheticStream.transport.get()
        let whole = stream[0] + stream[1]
        let cuts = try [0, 1].map { segment in
            let made = try #require(stream.tags.last { stream.segment(of: $0) == segment })
            let owner = Array(made.ownerIdentifier.utf8.prefix(60))
            let bytes = stream[segment]
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: owner) })
            return (place / 188 + 1) * 188 + (segment == 0 ? 0 : stream[0].count)
        }
        let folder = try TemporaryFolder()
        try folder.write("a.ts", Array(whole[..<cuts[0]]))
        try folder.write("b.ts", Array(whole[cuts[0]..<cuts[1]]))
        try folder.write("c.txt", "no part of the stream")
        let observations = try await Self.observe(folder.path)
        let places = observations.map {
            $0.tags.map { ($0.origin.place.segment ?? "") + ($0.isTruncated ? " cut" : "") }
        }
        let wholeCounts = [0, 1].map { segment in
            stream.tags.count { stream.segment(of: $0) == segment } - 1
        }
        #expect(places[0] == Array(repeating: "a.ts", count: wholeCounts[0]))
        #expect(places[1] == ["a.ts"] + Array(repeating: "b.ts", count: wholeCounts[1]))
        #expect(places[2].isEmpty)
        #expect(observations[0].trailingTags.isEmpty && observations[1].trailingTags.isEmpty)
        #expect(observations[2].trailingTags.map(\.origin.place.segment) == ["b.ts"])
        #expect(observations[2].trailingTags.allSatisfy { $0.isTruncated })
        #expect(observations.map(\.isLast) == [false, false, true])
    }

    @Test func renditions_areObservedSeparately_eachWithAllItsTags() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        try folder.write("short.m3u8", stream.playlist(segments: [0, 1]))
        try folder.write(
            "main.m3u8",
            """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=100
            index.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=200
            short.m3u8
            """)
        let observations = try await Self.observe(folder.path + "/main.m3u8")
        for (rendition, owners) in [(0, stream.owners), (1, stream.owners(inSegments: [0, 1]))] {
            let tags = observations.filter { $0.rendition == RenditionID(rendition) }.flatMap(\.tags)
            #expect(tags.map { String(decoding: $0.tag.ownerIdentifier, as: UTF8.self) } == owners)
        }
    }
}
