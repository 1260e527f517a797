import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

/// `media/demo` matches the output of the default settings.
///
/// The coded pictures may differ with the version of the encoder; playlists, PMT and tags may not.
@Suite(.timeLimit(.minutes(30))) struct DemonstrationTests {
    static let committed = Project.demo

    @Test(Peer.python.isInstalled)
    func demonstration_whenRegenerated_hasTheSamePlaylistsPMTsAndTags() async throws {
        let directory = try TemporaryFolder()
        let report = try StreamSynthesizer(SynthesisSettings()).write(to: directory.path)
        #expect(report.tags.count == 13)
        for name in ["index.m3u8", "v360/index.m3u8", "v540/index.m3u8", "audio/index.m3u8"] {
            let made = try String(contentsOfFile: "\(directory.path)/\(name)", encoding: .utf8)
            #expect(try made == String(contentsOfFile: "\(Self.committed)/\(name)", encoding: .utf8))
        }
        for name in ["v360", "v540", "audio"] {
            let made = try await StreamReading(of: "\(directory.path)/\(name)/index.m3u8")
            let committed = try await StreamReading(of: "\(Self.committed)/\(name)/index.m3u8")
            #expect(made.problems == [] && committed.problems == [])
            #expect(made.maps == committed.maps && made.maps.count == 1)
            #expect(made.tags.map { $0.text("owner") } == report.tags.map(\.ownerIdentifier))
            #expect(made.tags.map { $0.number("pts") } == report.tags.map { Int64($0.pts) })
            for (tag, other) in zip(made.tags, committed.tags) {
                #expect(tag.differences(from: other) == [] && tag.text("hex") == other.text("hex"))
            }
        }
    }

    @Test func demonstration_asCommitted_isSmall_withoutExtraFiles() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: Self.committed)
            .filter { $0.contains(".") }
        let sizes = try files.map {
            try Data(contentsOf: URL(fileURLWithPath: "\(Self.committed)/\($0)")).count
        }
        #expect(files.count == 3 * 20 + 1 && sizes.reduce(0, +) < 4_000_000)
    }

    @Test(arguments: SynthesisSettings().renditions)
    func bandwidth_ofThePlaylist_isNeverExceeded(rendition: SynthesisSettings.Rendition) throws {
        let playlist = "\(Self.committed)/\(rendition.name)/index.m3u8"
        let lengths = try String(contentsOfFile: playlist, encoding: .utf8).split(separator: "\n")
            .compactMap { $0.hasPrefix("#EXTINF:") ? Double($0.dropFirst(8).dropLast()) : nil }
        let segments = try MadeStream.segments(of: playlist)
        #expect(lengths.count == segments.count && abs(lengths.reduce(0, +) - 120) < 0.001)
        for (length, segment) in zip(lengths, segments) {
            let bitrate = Double(try Data(contentsOf: segment).count) * 8 / length
            #expect(bitrate < Double(PlaylistText.bandwidth(rendition)))
        }
    }

    @Test(Peer.python.isInstalled)
    func peer_inPython_findsTheSameTagsInAllRenditions() async throws {
        var readings: [StreamReading] = []
        for rendition in SynthesisSettings().renditions {
            readings.append(try await StreamReading(of: "\(Self.committed)/\(rendition.name)/index.m3u8"))
        }
        let first = try #require(readings.first)
        #expect(readings.count == 3 && first.tags.count == 13)
        for reading in readings {
            #expect(reading.tags.count == 13)
            // Times, bytes and even the segments are the same.
            #expect(zip(reading.tags, first.tags).allSatisfy { $0.differences(from: $1) == [] })
        }
    }

    @Test(Peer.ffprobe.isInstalled, arguments: ["v360", "v540", "audio"])
    func peer_ffprobe_seesTheMetadataStreamAndEveryTag(rendition: String) async throws {
        let arguments = [
            "-v", "error", "-select_streams", "d", "-show_entries", "packet=pts:stream=codec_name", "-of",
            "default=noprint_wrappers=1", "\(Self.committed)/\(rendition)/index.m3u8",
        ]
        let output = try await Peer.ffprobe.run(arguments)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        let expected = SynthesisSettings().tags(ofRendition: 0).map { "pts=\($0.time)" }
        #expect(lines.filter { $0.hasPrefix("pts=") } == expected)
        #expect(lines.contains("codec_name=timed_id3"))
    }

    @Test(Peer.ffmpeg.isInstalled, arguments: ["v360", "v540", "audio"])
    func peer_ffmpeg_decodesWithoutWarnings(rendition: String) async throws {
        let arguments = [
            "-v", "warning", "-i", "\(Self.committed)/\(rendition)/index.m3u8", "-f", "null", "-",
        ]
        let output = try await Peer.ffmpeg.run(arguments)
        #expect(String(decoding: output, as: UTF8.self) == "")
    }
}
