import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

/// Long streams with repeating pictures and sound.
@Suite struct EncodedLoopTests {
    private static func settings(duration: Double) -> SynthesisSettings {
        var settings = SynthesisSettings()
        settings.duration = duration
        settings.renditions = [
            .init(
                name: "small", video: .init(width: 160, height: 90, maximumBitrate: 100_000),
                container: .fragmentedMP4)
        ]
        return settings
    }

    /// Returns the media of a segment: everything from the box `mdat` on.
    private static func media(_ index: Int, in folder: String) throws -> Data {
        let name = "seg000" + (index < 10 ? "0\(index)" : "\(index)") + ".m4s"
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/small/\(name)"))
        let start = try #require(data.range(of: Data("mdat".utf8))).lowerBound
        return data[start...]
    }

    @Test func longStream_repeatsItsMediaAfter25Segments_andPlaysWithoutErrors() async throws {
        let folder = try TemporaryFolder()
        let report = try StreamSynthesizer(Self.settings(duration: 205)).write(to: folder.path)
        for index in 2...6 {
            #expect(
                try Self.media(index, in: folder.path) == Self.media(index + 25, in: folder.path), "\(index)")
            #expect(
                try Self.media(index, in: folder.path) != Self.media(index + 24, in: folder.path), "\(index)")
        }
        // The tags continue: 20 DATA tags and one INFO tag.
        #expect(report.tags.count == 21)
        #expect(Set(report.tags.map(\.ownerIdentifier)).count == 21)
        #expect(report.tags.map(\.pts) == report.tags.map(\.pts).sorted())
    }

    @Test(Peer.ffmpeg.isInstalled) func longStream_isDecodedWithoutErrors() async throws {
        let folder = try TemporaryFolder()
        _ = try StreamSynthesizer(Self.settings(duration: 205)).write(to: folder.path)
        let output = try await Peer.ffmpeg.run([
            "-v", "error", "-i", folder.path + "/small/index.m3u8", "-f", "null", "-",
        ])
        #expect(output.isEmpty, "\(String(decoding: output, as: UTF8.self))")
    }

    @Test func loops_areMultiplesOfAllPeriods() {
        #expect(EncodedLoop.leastCommonMultiple(160, 250, 200) == 4_000)
        let video = SynthesisSettings.Video(width: 160, height: 90, maximumBitrate: 100_000)
        let constant = SynthesisSettings.Video(
            width: 160, height: 90, maximumBitrate: 100_000, isConstantBitrate: true)
        func exists(_ video: SynthesisSettings.Video, _ segmentTicks: Int64) -> Bool {
            switch EncodedLoop.pictures(of: video, tagInterval: 10, segmentTicks: segmentTicks) {
            case .some: true
            case nil: false
            }
        }
        #expect(exists(video, 576_000))
        // A constant bit rate depends on what was sent before. A segment must consist of whole pictures.
        #expect(!exists(constant, 576_000) && !exists(video, 576_001) && !exists(video, 100))
    }
}
