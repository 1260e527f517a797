import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

/// The results of `dtvr check` for renditions that complement each other, and for windows of one live stream.
@Suite(.timeLimit(.minutes(30))) struct RenditionCheckTests {
    // MARK: Pictures without sound

    /// Writes the demonstration stream with a lower variant without audio and without the PIDs in `dropped`.
    private static func pictures(
        in folder: TemporaryFolder, without dropped: Set<Int> = [], namesAudio: Bool = true
    ) throws -> String {
        let filter = TransportStreamFilter(dropped: dropped.union([TransportStreamFilter.audioPID]))
        for name in try FileManager.default.contentsOfDirectory(atPath: Tool.demo + "/v360") {
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Tool.demo + "/v360/" + name)))
            _ = try folder.write(name, name.hasSuffix(".ts") ? filter.filter(bytes) : bytes)
        }
        let text = """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",DEFAULT=YES,URI="\(Tool.demo)/audio/index.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=249500,CODECS="avc1.4D401E,mp4a.40.2"\(namesAudio ? ",AUDIO=\"a\"" : "")
            index.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=374500,CODECS="avc1.4D401F,mp4a.40.2",AUDIO="a"
            \(Tool.demo)/v540/index.m3u8

            """
        return try folder.write("main.m3u8", text.utf8)
    }

    @Test func videoWithTags_andAudioOfItsGroup_passAsOnePresentation() async throws {
        let folder = try TemporaryFolder()
        let (status, verdict) = try await CheckTests.json(Self.pictures(in: folder))
        #expect(status == 0, "\(verdict)")
        #expect((verdict["renditions"] as? [String])?.count == 3)
        #expect(verdict["tags"] as? [String: Int] == ["data": 12, "info": 1, "unknown": 0, "other_owner": 0])
        let statuses = CheckTests.statuses(verdict)
        for check in [
            CheckID.renditionTagsDiffer, .renditionTimeDiffers, .tagCount, .timeAudioSync, .ownerPresent,
        ] {
            #expect(statuses[check.rawValue] == "pass", "\(check)")
        }
    }

    /// Only the audio carries the tags, which is enough for a variant whose group has the audio, and for no other.
    @Test(arguments: [true, false])
    func videoWithoutTags_passesOnlyIfTheAudioOfItsGroupHasThem(namesAudio: Bool) async throws {
        let folder = try TemporaryFolder()
        let playlist = try Self.pictures(
            in: folder, without: [TransportStreamFilter.metadataPID], namesAudio: namesAudio)
        let (status, verdict) = try await CheckTests.json(playlist)
        #expect(status == (namesAudio ? 0 : 1), "\(verdict)")
        #expect(verdict["tags"] as? [String: Int] == ["data": 12, "info": 1, "unknown": 0, "other_owner": 0])
        let statuses = CheckTests.statuses(verdict)
        for check in [CheckID.renditionTagsDiffer, .ownerPresent] {
            #expect(statuses[check.rawValue] == (namesAudio ? "pass" : "fail"), "\(check)")
        }
    }

    // MARK: Windows of a live stream

    /// Writes a window of the demonstration stream as if it were live: some of its segments.
    private static func window(
        _ segments: [Int], named name: String, in folder: TemporaryFolder, numberedFrom offset: Int = 0
    ) throws -> String {
        let lines = try String(contentsOfFile: Tool.demo + "/v360/index.m3u8", encoding: .utf8)
            .split(separator: "\n")
        let first = try #require(lines.firstIndex { $0.hasPrefix("#EXT-X-PROGRAM-DATE-TIME") })
        var text = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:7"]
        text.append("#EXT-X-MEDIA-SEQUENCE:\(offset + (segments.first ?? 0))")
        for (index, segment) in segments.enumerated() {
            if index > 0, segments[index - 1] + 1 < segment { text.append("#EXT-X-DISCONTINUITY") }
            let place = first + 3 * segment
            text += lines[place..<place + 2].map(String.init) + ["\(Tool.demo)/v360/\(lines[place + 2])"]
        }
        return try folder.write(name, text.joined(separator: "\n").utf8)
    }

    /// At least every other segment has a tag, so windows that are two segments apart differ.
    @Test(arguments: [1, 2, 3, 6]) func windows_withDifferentStarts_passWhereTheyOverlap(distance: Int)
        async throws
    {
        let folder = try TemporaryFolder()
        let early = try Self.window(Array(0..<12), named: "early.m3u8", in: folder)
        let late = try Self.window(Array(distance..<distance + 12), named: "late.m3u8", in: folder)
        for (one, other) in [(early, late), (late, early)] {
            let result = try await Tool.run("check", "--format", "json", "--against", other, one)
            #expect(result.status == 0, "\(result.output)")
            #expect(result.errors.contains("is a live playlist"))
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
            let statuses = CheckTests.statuses(try #require(object as? [String: Any]))
            #expect(statuses["rendition.tags-differ"] == "pass")
            #expect(statuses["rendition.time-differs"] == "pass")
        }
    }

    /// The other origin numbers its segments differently, and lost the one with DATA tag 5.
    @Test func windows_withDifferentStarts_nameTheMissingTag() async throws {
        let folder = try TemporaryFolder()
        let early = try Self.window(Array(0..<12), named: "early.m3u8", in: folder)
        let late = try Self.window(
            [3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14], named: "late.m3u8", in: folder, numberedFrom: 900)
        let (status, verdict) = try await CheckTests.json("--against", late, early)
        #expect(status == 1)
        let findings = CheckTests.findings(.renditionTagsDiffer, in: verdict)
        #expect(findings.count == 1, "\(findings)")
        #expect((findings.first?["detail"] as? String)?.hasPrefix("DATA tag 5 is in ") == true, "\(findings)")
        #expect(findings.first?["segment"] as? String == "\(Tool.demo)/v360/seg00007.ts")
    }
}
