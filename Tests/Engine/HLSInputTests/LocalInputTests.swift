import Foundation
import HTTPTransfer
import ID3v2
import LibAVDemux
import NielsenID3
import SegmentDemux
import TagRecord
import TestSupport
import Testing

@testable import HLSInput

@Suite(.timeLimit(.minutes(30))) struct LocalInputTests {
    /// Calls `body` with a descriptor that delivers the bytes and then ends, as a pipe does.
    private static func withPipe<Result>(
        of bytes: [UInt8], _ body: (Int32) async throws -> Result
    ) async throws -> Result {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        let writer = Thread {
            do {
                try writing.write(contentsOf: Data(bytes))
                try writing.close()
            } catch {
                Issue.record("\(error)")
            }
        }
        writer.start()
        let result = try await body(pipe.fileHandleForReading.fileDescriptor)
        try pipe.fileHandleForReading.close()
        return result
    }

    // MARK: Standard input and pipes

    @Test func standardInput_withASegment_isReadToItsEnd() async throws {
        let stream = try SyntheticStream.transport.get()
        let reading = try await Self.withPipe(of: stream[0]) {
            try await InputReading("-", standardInput: $0)
        }
        #expect(reading.owners == stream.owners(inSegments: [0]))
        guard case .read(let byteCount, _) = reading.readings.first?.outcome else {
            Issue.record("\(reading.readings)")
            return
        }
        #expect(byteCount == UInt64(stream[0].count))
    }

    @Test func standardInput_withAPlaylist_isReadWithTheFilesItLists() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for index in stream.segmentNames.indices { try folder.write("\(index).ts", stream[index]) }
        // The playlist is longer than the prefix that distinguishes it from a segment.
        let comments = (0..<100).map { "# \($0) what a packager has to say" }
        let playlist = stream.playlist(header: comments, uri: { "\(folder.path)/\($0).ts" })
        #expect(playlist.utf8.count > 2 * OpenedInput.signatureByteCount)
        let reading = try await Self.withPipe(of: Array(playlist.utf8)) {
            try await InputReading("-", standardInput: $0)
        }
        #expect(reading.owners == stream.owners)
    }

    @Test func file_overTheByteLimit_isTooLarge() throws {
        let folder = try TemporaryFolder()
        for count in [0, 9, 10, 11] {
            let path = try folder.write("\(count)", [UInt8](repeating: 7, count: count))
            if count <= 10 {
                #expect(try InputFile(named: path).readAll(maximumByteCount: 10).count == count)
            } else {
                #expect(throws: InputError.tooLarge(path, maximumByteCount: 10)) {
                    _ = try InputFile(named: path).readAll(maximumByteCount: 10).count
                }
            }
        }
    }

    @Test func standardInput_withoutBytes_isEmpty() async throws {
        await #expect(throws: InputError.empty("-")) {
            try await Self.withPipe(of: []) { try await InputReading("-", standardInput: $0) }
        }
    }

    /// A shell passes such a path for `<(command)`: opening it again does not restart the output.
    @Test(arguments: [true, false]) func path_ofAPipe_isReadOnceAndCompletely(isPlaylist: Bool) async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        let segment = try folder.write("a.ts", stream[0])
        let bytes = isPlaylist ? Array(stream.playlist(segments: [0], uri: { _ in segment }).utf8) : stream[0]
        let reading = try await Self.withPipe(of: bytes) { try await InputReading("/dev/fd/\($0)") }
        #expect(reading.owners == stream.owners(inSegments: [0]))
    }

    // MARK: Files

    @Test func byteRanges_ofAFile_yieldTheTagsOfEachRange() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        try folder.write("all.ts", stream.segmentNames.indices.flatMap { stream[$0] })
        let playlist = stream.playlist(
            before: { ["#EXT-X-BYTERANGE:\(stream[$0].count)" + ($0 == 0 ? "@0" : "")] },
            uri: { _ in "all.ts" })
        let reading = try await InputReading(folder.write("index.m3u8", playlist))
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
        #expect(
            reading.tags.map(\.origin.place.mediaSequence)
                == stream.tags.map { UInt64(stream.segment(of: $0)) })
    }

    @Test func byteRange_beyondTheEndOfAFile_isAnErrorAndYieldsTheAvailableTags() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        try folder.write("a.ts", stream[0])
        let playlist = stream.playlist(
            segments: [0], before: { _ in ["#EXT-X-BYTERANGE:\(stream[0].count + 1)@0"] },
            uri: { _ in "a.ts" })
        let reading = try await InputReading(folder.write("index.m3u8", playlist))
        #expect(reading.owners == stream.owners(inSegments: [0]))
        #expect(reading.failures.map(\.error) == [.truncatedByteRange("a.ts")])
    }

    @Test(arguments: ["", "absent.ts", "folder/index.m3u8"])
    func path_thatIsNotAnExistingFile_isAnError(name: String) async throws {
        let folder = try TemporaryFolder()
        await #expect(throws: InputError.self) { try await InputReading(folder.path + "/" + name) }
    }

    @Test func file_thatIsNotMedia_isAnErrorWithALikelyCause() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.ts", "<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'>")
        let reading = try await InputReading(path)
        #expect(
            reading.failures.map(\.error)
                == [
                    .notMedia(
                        path, likely: "it looks like a DASH manifest; give the directory of its segments")
                ])
        let empty = try folder.write("b.ts", "")
        await #expect(throws: InputError.empty(empty)) { try await InputReading(empty) }
    }

    /// A fragment of 300 MB; only the boxes before and after the media are read.
    @Test func mediaData_inAFile_isSkippedBySeeking() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        let mediaByteCount = 300 << 20
        let size = UInt32(mediaByteCount + 8)
        let header =
            (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32($0))) } + Array("mdat".utf8)
        let path = try folder.write("a.mp4", header)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: UInt64(mediaByteCount + 8))
        try file.seekToEnd()
        try file.write(contentsOf: Data(stream[0]))
        try file.close()

        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let fetcher = try ResourceFetcher(client: client)
        let reader = ResourceReader(
            fetcher: fetcher, keys: KeyRing(fetcher: fetcher), buffers: ReadBuffers(), policy: .any)
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        let segment = Presentation.Segment(address: .path(path), name: nil)
        let (fed, failure) = await reader.read(Resource(segment), into: &demuxer)
        #expect(failure == nil)
        let tags = try demuxer.endSegment().tags
        #expect(fed.byteCount == UInt64(mediaByteCount + 8 + stream[0].count))
        #expect(fed.byteCount - fed.skippedByteCount < 1 << 20)
        let owners = tags.compactMap { NielsenTag(tagBytes: $0.bytes.span)?.ownerIdentifier }
        #expect(owners.map { String(decoding: $0, as: UTF8.self) } == stream.owners(inSegments: [0]))
    }

    /// A packager joined the frames of two tags into one ID3 tag.
    @Test func tagWithSeveralNielsenFrames_countsAsSeveral() async throws {
        let owners = [Samples.data2017, Samples.data2015]
        let body = owners.flatMap { Array(Samples.tag($0).dropFirst(10)) }
        let size = [0, 0, UInt8(body.count >> 7), UInt8(body.count & 0x7F)]
        let header = Array(Samples.tag(owners[0])[..<6]) + size
        let frame: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x0C, 0x9F, 0xFC] + Array(repeating: 0, count: 93)
        let folder = try TemporaryFolder()
        let path = try folder.write("a.aac", header + body + frame + frame)
        let reading = try await InputReading(path)
        #expect(reading.owners == owners)
        #expect(reading.tags.map(\.time) == [reading.tags[0].time, reading.tags[0].time])
        #expect(reading.failures.isEmpty)
    }

    /// Announced bytes that do not exist are not counted as read.
    @Test func mediaData_truncated_isNotSkippedPastTheEnd() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "a.mp4", [0x7F, 0, 0, 0] + Array("mdat".utf8) + Array(repeating: 0, count: 1 << 20))
        let reading = try await InputReading(path)
        guard case .read(let byteCount, let facts) = reading.readings.first?.outcome else {
            Issue.record("\(reading.readings)")
            return
        }
        #expect(byteCount == 8 + 1 << 20)
        #expect(facts.malformed.count == 1)
    }

    // MARK: Folders

    @Test func folder_isReadInNaturalOrder_withoutHiddenAndSpecialFiles() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        let names = ["seg2.ts", "seg10.ts", "seg100.ts"]
        for (index, name) in names.enumerated() { try folder.write(name, stream[index]) }
        try folder.write(".seg1.ts", stream[3])
        try folder.write("seg3/seg4.ts", stream[3])
        try folder.write("index.m3u8", stream.playlist())
        try folder.write("notes.txt", "taken by hand\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/seg5.ts", withDestinationPath: folder.path + "/gone.ts")
        // The path is a string that lives through the call.
        let isMade = unsafe mkfifo(folder.path + "/seg6.ts", 0o600) == 0
        #expect(isMade)
        for source in [folder.path, folder.path + "/"] {
            let reading = try await InputReading(source)
            #expect(
                reading.readings.map(\.name)
                    == ["index.m3u8", "notes.txt", "seg2.ts", "seg5.ts", "seg10.ts", "seg100.ts"])
            #expect(reading.owners == stream.owners(inSegments: [0, 1, 2]))
            #expect(reading.readSegments == [2, 4, 5])
            #expect(reading.failures.map(\.index) == [1, 3])
            if case .playlist = reading.readings[0].outcome {
            } else {
                Issue.record("\(reading.readings[0].outcome)")
            }
            #expect(reading.tags.allSatisfy { $0.origin.place.mediaSequence == nil })
        }
    }

    /// Packagers write playlists beside their segments, and the multivariant playlist with or without the others.
    @Test func folderWithAPlaylist_isReadThroughThePlaylist() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (index, name) in stream.segmentNames.enumerated() { try folder.write(name, stream[index]) }
        // Without the playlist, this segment would be read too.
        try folder.write("a-foreign.ts", stream[0])
        let media = try folder.write("video.m3u8", stream.playlist())
        for source in [folder.path, folder.path + "/"] {
            let reading = try await InputReading(source)
            #expect(reading.owners == stream.owners)
            #expect(reading.tags.allSatisfy { $0.origin.place.source == media })
            #expect(reading.tags.first?.origin.place.mediaSequence != nil)
        }
        let multivariant = try folder.write(
            "main.M3U8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nvideo.m3u8\n")
        try folder.write("more.m3u8", stream.playlist())
        let reading = try await InputReading(folder.path)
        #expect(reading.owners == stream.owners)
        #expect(reading.tags.allSatisfy { $0.origin.place.source == multivariant })
        // An unreadable playlist is named in a note, and the other one is read.
        let broken = try folder.write("broken.m3u8", "#EXTM3U\n")
        let fetcher = try ResourceFetcher(client: HTTPClient(settings: HTTPClientSettings(userAgent: "test")))
        let presentation = try await InputResolver(fetcher: fetcher).resolve(folder.path)
        #expect(presentation.source == multivariant)
        #expect(presentation.notes == ["\(broken): lists no segment"])
    }

    @Test func folderWithSeveralPlaylists_isAnErrorThatListsThem() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (index, name) in stream.segmentNames.enumerated() { try folder.write(name, stream[index]) }
        for number in [1, 10, 2] { try folder.write("\(number).m3u8", stream.playlist()) }
        await #expect(
            throws: InputError.severalPlaylists(
                folder.path, names: ["1.m3u8", "2.m3u8", "10.m3u8"], count: 3)
        ) { try await InputReading(folder.path) }
        for name in ["one.m3u8", "two.m3u8"] {
            try folder.write(name, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n1.m3u8\n")
        }
        let error = await #expect(throws: InputError.self) { try await InputReading(folder.path) }
        #expect(error?.reason == "contains 2 playlists; name one of them: one.m3u8, two.m3u8")
    }

    /// A folder with a playlist of I-frames beside that of the media is read through the latter.
    @Test func playlistOfIFrames_isNamed_andIsNoChoiceInAFolder() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for name in stream.segmentNames { _ = try folder.write(name, stream.files[name] ?? []) }
        let frames = try folder.write(
            "frames.m3u8", stream.playlist(header: ["#EXT-X-I-FRAMES-ONLY"]).utf8)
        let error = await #expect(throws: InputError.self) { try await InputReading(frames) }
        #expect(error?.reason.hasPrefix("lists only I-frames") == true, "\(error?.message ?? "")")
        _ = try folder.write("index.m3u8", stream.playlist().utf8)
        #expect(try await InputReading(folder.path).owners == stream.owners)
    }

    @Test func folder_ofFragments_appliesTheInitializationSegmentToLaterFiles() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        try folder.write("init.bin", stream.files["init.mp4"] ?? [])
        for (index, name) in stream.segmentNames.enumerated() { try folder.write(name, stream[index]) }
        let reading = try await InputReading(folder.path)
        #expect(reading.owners == stream.owners)
        // Without the initialization segment, the media have no timescale and no earliest time.
        for outcome in reading.readings.dropFirst().map(\.outcome) {
            guard case .read(_, let facts) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(facts.earliestMediaTime != nil)
        }
    }

    @Test func folder_withoutVisibleFiles_isEmpty() async throws {
        let folder = try TemporaryFolder()
        try folder.write(".hidden", "x")
        await #expect(throws: InputError.empty(folder.path)) { try await InputReading(folder.path) }
    }
}
