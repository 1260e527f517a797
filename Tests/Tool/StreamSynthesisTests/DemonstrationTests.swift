import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

/// `media/demo` matches the output of the default settings.
///
/// The coded pictures may differ with the version of the encoder; playlists, PMT and tags may not.
@Suite(.timeLimit(.minutes(30))) struct DemonstrationTests {
    static let committed = Project.demo

    @Test func demonstration_whenRegenerated_hasTheSamePlaylistsPMTsAndTags() throws {
        let directory = try TemporaryFolder()
        let report = try StreamSynthesizer(SynthesisSettings()).write(to: directory.path)
        #expect(report.tags.count == 13)
        for name in ["index.m3u8", "v360/index.m3u8", "v540/index.m3u8", "audio/index.m3u8"] {
            let made = try String(contentsOfFile: "\(directory.path)/\(name)", encoding: .utf8)
            #expect(try made == String(contentsOfFile: "\(Self.committed)/\(name)", encoding: .utf8))
        }
        for name in ["v360", "v540", "audio"] {
            let made = try RawTransportStream(playlist: "\(directory.path)/\(name)/index.m3u8")
            let committed = try RawTransportStream(playlist: "\(Self.committed)/\(name)/index.m3u8")
            #expect(Set(made.mapSections) == Set(committed.mapSections))
            #expect(made.metadata.map(\.pes) == committed.metadata.map(\.pes))
            #expect(made.metadata.map(\.payload) == report.tags.map(\.bytes))
            #expect(made.metadata.map(\.pts) == report.tags.map(\.pts))
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
        let segments = try RawTransportStream.segments(of: playlist)
        #expect(lengths.count == segments.count && abs(lengths.reduce(0, +) - 120) < 0.001)
        for (length, segment) in zip(lengths, segments) {
            let bitrate = Double(try Data(contentsOf: segment).count) * 8 / length
            #expect(bitrate < Double(PlaylistText.bandwidth(rendition)))
        }
    }

    @Test(Peer.python.isInstalled, arguments: ["v360", "v540", "audio"])
    func peer_inPython_reportsNoProblems(rendition: String) async throws {
        let script = Project.root + "/Tests/Peers/read_stream.py"
        let arguments = [script, "\(Self.committed)/\(rendition)/index.m3u8"]
        let output = try await Peer.python.run(arguments)
        let answer = try JSONDecoder().decode(PeerAnswer.self, from: output)
        #expect(answer.problems == [] && answer.maps.count == 1)
        #expect(answer.tags.map(\.sequence) == Array(0...12))
        let expected = TagSchedule(SynthesisSettings(), renditionIndex: 0).entries
        #expect(answer.tags.map(\.pts) == expected.map { UInt64($0.time) })
        for (tag, entry) in zip(answer.tags, expected) {
            #expect(tag.checksumOK == true && tag.frameOK == true && tag.packets == 2 && tag.contiguous)
            #expect(tag.owner.map { Array($0.utf8) } == entry.ownerIdentifier)
        }
    }

    @Test(Peer.python.isInstalled)
    func peer_inPython_findsTheSameTagsInAllRenditions() async throws {
        var readings: [StreamReading] = []
        for rendition in SynthesisSettings().renditions {
            let playlist = "\(Self.committed)/\(rendition.name)/index.m3u8"
            let output = try await Peer.python.run([MadeStream.readStream, playlist])
            readings.append(try JSONDecoder().decode(StreamReading.self, from: output))
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
        let expected = TagSchedule(SynthesisSettings(), renditionIndex: 0).entries.map { "pts=\($0.time)" }
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

    private struct PeerAnswer: Decodable {
        struct Tag: Decodable {
            let pts: UInt64?
            let sequence: Int?
            let owner: String?
            let packets: Int
            let contiguous: Bool
            let checksumOK: Bool?
            let frameOK: Bool?
        }
        let maps: [String]
        let tags: [Tag]
        let problems: [String]
    }
}
