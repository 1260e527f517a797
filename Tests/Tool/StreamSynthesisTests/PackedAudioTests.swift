import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

struct PackedAudioTests {
    @Test func segments_beginWithATimestamp_andPlaceTagsAtTheirAudioFrames() throws {
        var settings = TransportCarriageTests.soundOnly(duration: 45)
        settings.startPTS = 1 << 33 - 9 * 90_000
        settings.use(.packedAudio)
        let directory = try TemporaryFolder()
        let report = try StreamSynthesizer(settings).write(to: directory.path)
        var found: [(time: UInt64, bytes: [UInt8])] = []
        var frameCount = 0
        for file in try RawTransportStream.segments(of: directory.path + "/audio/index.m3u8") {
            let bytes = Array(try Data(contentsOf: file))
            let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
            #expect(
                Array(bytes[..<20]) == [
                    0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 63, 0x50, 0x52, 0x49, 0x56, 0, 0, 0, 53, 0, 0,
                ])
            #expect(Array(bytes[20..<65]) == owner)
            let start = bytes[65..<73].reduce(0) { (value: UInt64, byte) in value << 8 | UInt64(byte) }
            #expect(start == (settings.startPTS + UInt64(frameCount) * 1920) % (1 << 33))
            var position = 73
            while position < bytes.count {
                if bytes[position] == 0xFF {
                    // ADTS: syncword, then the frame's length in 13 bits from bit 30.
                    #expect(Array(bytes[position...].prefix(3)) == [0xFF, 0xF1, 0x4C])
                    let length = Int(bytes[position + 3] & 3) << 11 | Int(bytes[position + 4]) << 3
                    position += length | Int(bytes[position + 5] >> 5)
                    frameCount += 1
                } else {
                    found.append(
                        (
                            (settings.startPTS + UInt64(frameCount) * 1920) % (1 << 33),
                            Array(bytes[position..<position + 271])
                        ))
                    position += 271
                }
            }
            #expect(position == bytes.count)
        }
        #expect(frameCount == (45 * 48_000 + 1023) / 1024)
        #expect(found.map(\.bytes) == report.tags.map(\.bytes))
        #expect(found.map(\.time) == report.tags.map(\.pts))
    }
}
