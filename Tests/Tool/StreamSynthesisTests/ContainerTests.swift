import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

/// The containers with settings that the streams of `FaultBytesTests` do not have.
@Suite(.timeLimit(.minutes(30))) struct ContainerTests {
    @Test(Peer.python.isInstalled, arguments: SynthesisSettings.Container.allCases)
    func stream_acrossThePTSWrap_hasItsTagsAtTheirTimes(
        container: SynthesisSettings.Container
    ) async throws {
        var settings = SynthesisSettings.soundOnly(duration: 30)
        settings.startPTS = 1 << 33 - 15 * 90_000
        settings.use(container)
        let reading = try #require(try await MadeStream.of(settings).renditions.first).reading
        let tags = settings.tags(ofRendition: 0)
        // The times of event messages have 64 bits.
        let times = tags.map { container == .fragmentedMP4 ? $0.time : Int64($0.pts) }
        #expect(reading.problems == [] && reading.tags.map { $0.number("pts") } == times)
        #expect(reading.tags.map { $0.text("owner") } == tags.map(\.ownerIdentifier))
        #expect(tags[0].pts > 1 << 32 && tags[3].pts < 1 << 32)
    }

    /// The schemes of packagers: CMAF, also with GPAC's value; Nielsen for DASH; Apple; and version 0.
    @Test(
        Peer.python.isInstalled,
        arguments: [
            .aomedia,
            .init(uri: "https://aomedia.org/emsg/ID3", value: "www.nielsen.com:id3:v1", version: 1),
            .init(uri: "www.nielsen.com:id3:v1", value: "1", version: 1),
            .init(uri: "https://developer.apple.com/streaming/emsg-id3", value: "", version: 1),
            .init(uri: "http://www.id3.org/", value: "502", version: 0),
        ] as [SynthesisSettings.EventScheme])
    func emsg_ofEveryScheme_hasItsFields(scheme: SynthesisSettings.EventScheme) async throws {
        var settings = SynthesisSettings.soundOnly(duration: 13)
        settings.eventScheme = scheme
        settings.use(.fragmentedMP4)
        let reading = try #require(try await MadeStream.of(settings).renditions.first).reading
        let tags = settings.tags(ofRendition: 0)
        #expect(reading.problems == [] && reading.tags.count == tags.count)
        for (index, (read, tag)) in zip(reading.tags, tags).enumerated() {
            #expect(read.text("scheme") == scheme.uri && read.text("value") == scheme.value)
            #expect(read.number("version") == Int64(scheme.version) && read.number("id") == Int64(index))
            #expect(read.number("pts") == tag.time && read.number("eventDuration") == 0)
            #expect(read.text("owner") == tag.ownerIdentifier)
        }
    }

    @Test func avcConfiguration_matchesTheCodecsAttribute() throws {
        var settings = SynthesisSettings()
        settings.duration = 1
        settings.renditions = [
            .init(
                name: "v", video: .init(width: 160, height: 90, maximumBitrate: 50_000),
                container: .fragmentedMP4)
        ]
        let directory = try TemporaryFolder()
        _ = try StreamSynthesizer(settings).write(to: directory.path)
        let data = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/v/init.mp4"))
        let place = try #require(data.range(of: Data("avcC".utf8))).upperBound
        // AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1): version, profile, compatibility, level.
        let written = data[place + 1..<place + 4].map { String(format: "%02X", $0) }.joined()
        let playlist = PlaylistText.multivariant(settings.renditions)
        #expect(playlist.contains("CODECS=\"avc1.\(written),mp4a.40.2\""))
    }
}
