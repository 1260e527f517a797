import Foundation
import HTTPServing
import TestSupport
import Testing

@testable import StreamSynthesis

/// The bytes of live segments, read by independent readers in the tests and by FFmpeg.
@Suite(.timeLimit(.minutes(30))) struct LiveSegmentTests {
    /// Returns settings of a channel whose timestamps wrap in its third segment.
    private static func settings(_ container: SynthesisSettings.Container) -> LiveSettings {
        var settings = LiveSettings()
        settings.container = container
        settings.segmentDuration = 6.4
        settings.windowSegmentCount = 60
        settings.startPTS = (1 << 33 - 15 * 90_000) / 15 * 15
        settings.renditions = [
            .init(
                name: "main", video: .init(width: 160, height: 90, maximumBitrate: 50_000), bitrate: 100_000)
        ]
        return settings
    }

    /// Returns the segments that are listed at the start.
    private static func segments(_ station: SyntheticOrigin) throws -> [[UInt8]] {
        try LivePlaylist(station, at: 0).names.map {
            station.answer(.init("/ch1/\($0)"), at: .zero).content.body
        }
    }

    /// Writes these segments to files, with their playlist.
    private static func folder(_ station: SyntheticOrigin) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let playlist = try LivePlaylist(station, at: 0)
        let initialization = station.answer(.init("/ch1/init.mp4"), at: .zero).content
        for name in playlist.names + (initialization.status == 200 ? ["init.mp4"] : []) {
            let body = station.answer(.init("/ch1/\(name)"), at: .zero).content.body
            try Data(body).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        let text = playlist.lines.joined(separator: "\n") + "\n#EXT-X-ENDLIST\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/index.m3u8"))
        return folder
    }

    @Test func transportStream_acrossThePTSWrap_isContinuous() throws {
        let station = try SyntheticOrigin(Self.settings(.transportStream))
        let segments = try Self.segments(station)
        #expect(segments.allSatisfy { (79_800...80_000 + 2 * 376).contains($0.count) })
        let stream = RawTransportStream(segments: segments)
        #expect(stream.counterErrors.isEmpty)
        let wrap: UInt64 = 1 << 33
        // Times since a second before the beginning of the channel, through the wrap: a clock reference may be slightly
        // before the beginning.
        let begin = try #require(Self.settings(.transportStream).startPTS) - 90_000
        let sound = stream.audioPTS.map { ($0 &- begin) & (wrap - 1) }
        let clock = stream.clockReferences.map { ($0.base &- begin) & (wrap - 1) }
        #expect(stream.audioPTS.contains { $0 < 900_000 } && stream.audioPTS.contains { $0 > wrap - 900_000 })
        #expect(sound.first == 90_000 && sound == sound.sorted() && clock == clock.sorted())
        #expect(zip(clock, clock.dropFirst()).allSatisfy { $1 - $0 <= 9_000 })
        #expect(stream.metadata.count == 40)
        for tag in stream.metadata {
            #expect(tag.packetOffsets.count == 2 && tag.packetOffsets[1] - tag.packetOffsets[0] == 188)
            // The tag has the time of the last audio that was added before it, which is in the preceding packet.
            let (pts, before) = (try #require(tag.pts), try #require(tag.precedingAudioPTS))
            #expect(((pts &- before) & (wrap - 1)) < 8 * 1_920)
        }
    }

    @Test func fragmentedMP4_pastThePTSWrap_continuesIn64Bits() throws {
        let station = try SyntheticOrigin(Self.settings(.fragmentedMP4))
        let begin = try #require(Self.settings(.fragmentedMP4).startPTS)
        var identifiers: [UInt64] = []
        for (index, segment) in try Self.segments(station).enumerated() {
            let boxes = FragmentedMP4Tests.Box.walk(segment[...])
            let count = boxes.count { $0.type == "emsg" }
            #expect(
                boxes.map(\.type) == ["styp"] + [String](repeating: "emsg", count: count) + [
                    "moof", "mdat", "free",
                ])
            #expect((80_000...80_000 + 2 * 400).contains(segment.count))
            let fragment = try #require(boxes.first { $0.type == "moof" })
            let number = FragmentedMP4Tests.Box.number(try #require(fragment.first("mfhd")).body.dropFirst(4))
            #expect(number == UInt64(index + 1))
            let times = FragmentedMP4Tests.Box.walk(fragment.body).filter { $0.type == "traf" }.map {
                FragmentedMP4Tests.Box.number($0.first("tfdt")?.body.dropFirst(4) ?? [])
            }
            let start = begin + UInt64(index) * 576_000
            #expect(times == [start, start * 8 / 15])
            for box in boxes where box.type == "emsg" {
                let body = box.body.dropFirst(4)
                #expect(FragmentedMP4Tests.Box.number(body.prefix(4)) == 90_000)
                let time = FragmentedMP4Tests.Box.number(body.dropFirst(4).prefix(8))
                #expect((start..<start + 576_000).contains(time))
                identifiers.append(FragmentedMP4Tests.Box.number(body.dropFirst(16).prefix(4)))
            }
        }
        #expect(identifiers == Array(0..<40))
    }

    @Test(Peer.python.isInstalled, arguments: [SynthesisSettings.Container.transportStream, .fragmentedMP4])
    func peer_inPython_reportsNoViolations(container: SynthesisSettings.Container) async throws {
        let folder = try Self.folder(try SyntheticOrigin(Self.settings(container)))
        let output = try await Peer.python.run([MadeStream.readStream, folder.path + "/index.m3u8"])
        let reading = try JSONDecoder().decode(StreamReading.self, from: output)
        #expect(reading.problems == [] && reading.tags.count == 40)
    }

    @Test(Peer.ffmpeg.isInstalled, arguments: [SynthesisSettings.Container.transportStream, .fragmentedMP4])
    func peer_ffmpeg_decodesWithoutErrors(container: SynthesisSettings.Container) async throws {
        let folder = try Self.folder(try SyntheticOrigin(Self.settings(container)))
        let output = try await Peer.ffmpeg.run([
            "-v", "error", "-xerror", "-allowed_extensions", "ALL", "-i", folder.path + "/index.m3u8", "-f",
            "null", "-",
        ])
        #expect(String(decoding: output, as: UTF8.self) == "")
    }
}
