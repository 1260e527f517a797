import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

struct FragmentedMP4Tests {
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
