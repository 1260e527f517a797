import Foundation
import HTTPServing
import TestSupport
import Testing

@testable import StreamSynthesis

/// The bytes of live segments, read by programs that share no code with the origin.
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

    /// Writes the segments that are listed at the start to files, with their playlist.
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

    @Test(Peer.python.isInstalled, arguments: [SynthesisSettings.Container.transportStream, .fragmentedMP4])
    func peer_inPython_acrossThePTSWrap_findsEveryTagAtItsTime(
        container: SynthesisSettings.Container
    ) async throws {
        let settings = Self.settings(container)
        let station = try SyntheticOrigin(settings)
        let folder = try Self.folder(station)
        let reading = try await StreamReading(of: folder.path + "/index.m3u8")
        #expect(reading.problems == [] && reading.tags.count == 40)
        let channel = LiveChannel(settings, number: 1, events: [], startTime: station.startTime)
        let expected = (0..<60).flatMap { channel.tags(in: $0) }
        for (index, (read, tag)) in zip(reading.tags, expected).enumerated() {
            #expect(read.text("owner") == tag.ownerIdentifier)
            if container == .transportStream {
                #expect(read.number("pts") == Int64(tag.pts))
                #expect(read.number("packets") == 2 && read.values["contiguous"] == .truth(true))
            } else {
                #expect(read.number("pts") == tag.time && read.number("id") == Int64(index))
            }
        }
        // 100 kbit/s, to within a packet and the tags.
        for name in try LivePlaylist(station, at: 0).names {
            let count = station.answer(.init("/ch1/\(name)"), at: .zero).content.body.count
            #expect((79_800...80_000 + 2 * 400).contains(count), "\(name)")
        }
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
