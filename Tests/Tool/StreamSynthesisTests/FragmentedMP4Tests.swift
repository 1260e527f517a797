import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

struct FragmentedMP4Tests {
    /// A box of ISO/IEC 14496-12, 4.2, with a 32-bit size.
    struct Box {
        let type: String
        let body: ArraySlice<UInt8>

        static func walk(_ bytes: ArraySlice<UInt8>) -> [Box] {
            var boxes: [Box] = []
            var rest = bytes
            while rest.count >= 8 {
                let size = Int(number(rest.prefix(4)))
                guard size >= 8, size <= rest.count else { break }
                let body = rest.prefix(size).dropFirst(8)
                boxes.append(
                    Box(type: String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self), body: body))
                rest = rest.dropFirst(size)
            }
            return boxes
        }

        static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

        /// Returns the first box at a path below this one.
        func first(_ path: String...) -> Box? {
            path.reduce(Optional(self)) { box, type in
                box.flatMap { Box.walk($0.body).first { $0.type == type } }
            }
        }
    }

    static func settings(_ scheme: SynthesisSettings.EventScheme = .aomedia) -> SynthesisSettings {
        var settings = SynthesisSettings()
        settings.duration = 13
        settings.startPTS = 1 << 33 - 5 * 90_000
        settings.renditions = [
            .init(
                name: "v", video: .init(width: 160, height: 90, maximumBitrate: 50_000),
                container: .fragmentedMP4)
        ]
        settings.eventScheme = scheme
        return settings
    }

    static func segments(_ settings: SynthesisSettings) throws -> (segments: [[Box]], initialization: [Box]) {
        let directory = try TemporaryFolder()
        _ = try StreamSynthesizer(settings).write(to: directory.path)
        let names = try RawTransportStream.segments(of: directory.path + "/v/index.m3u8")
        let initialization = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/v/init.mp4"))
        return (
            try names.map { Box.walk(Array(try Data(contentsOf: $0))[...]) },
            Box.walk(Array(initialization)[...])
        )
    }

    @Test func segments_haveEmsgBetweenStypAndMoof() throws {
        let (segments, initialization) = try Self.segments(Self.settings())
        #expect(initialization.map(\.type) == ["ftyp", "moov"])
        #expect(
            segments.map { $0.map(\.type) } == [
                ["styp", "emsg", "moof", "mdat"], ["styp", "emsg", "moof", "mdat"], ["styp", "moof", "mdat"],
            ])
        let times = try segments.map { boxes in
            let fragment = try #require(boxes.first { $0.type == "moof" })
            return Box.number(try #require(fragment.first("traf", "tfdt")).body.dropFirst(4))
        }
        // Absolute times from 2^33 - 450,000, which exceed the 33 bits of a transport stream.
        #expect(times == [8_589_484_592, 8_590_060_592, 8_590_636_592])
    }

    /// The schemes of packagers: CMAF, also with GPAC's value; Nielsen for DASH; Apple; and version 0.
    @Test(
        arguments: [
            .aomedia,
            .init(uri: "https://aomedia.org/emsg/ID3", value: "www.nielsen.com:id3:v1", version: 1),
            .init(uri: "www.nielsen.com:id3:v1", value: "1", version: 1),
            .init(uri: "https://developer.apple.com/streaming/emsg-id3", value: "", version: 1),
            .init(uri: "http://www.id3.org/", value: "502", version: 0),
        ] as [SynthesisSettings.EventScheme])
    func emsg_ofEveryScheme_hasItsFieldsInOrder(scheme: SynthesisSettings.EventScheme) throws {
        let settings = Self.settings(scheme)
        let expected = TagSchedule(settings, renditionIndex: 0).entries
        let segments = try Self.segments(settings).segments
        for (index, entry) in expected.enumerated() {
            let body = try #require(segments[index].first { $0.type == "emsg" }).body
            let names = Array(scheme.uri.utf8) + [0] + Array(scheme.value.utf8) + [0]
            let segmentTime = Int64(1 << 33) - 450_000 + 576_000 * Int64(index)
            let timescale: [UInt8] = [0, 1, 0x5F, 0x90]
            let tail: [UInt8] = [0, 0, 0, 0, 0, 0, 0, UInt8(index)]
            if scheme.version == 0 {
                let delta = Self.bytes(UInt32(entry.time - segmentTime))
                #expect(Array(body) == [0, 0, 0, 0] + names + timescale + delta + tail + entry.bytes)
            } else {
                let time = Self.bytes(entry.time)
                #expect(Array(body) == [1, 0, 0, 0] + timescale + time + tail + names + entry.bytes)
            }
        }
    }

    /// Returns the bytes of an integer, most significant first.
    private static func bytes<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
        (1...Integer.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (Integer.bitWidth - 8 * $0)) }
    }

    @Test func fault_ofTheEventForm_changesOnlyTheScheme() throws {
        var settings = Self.settings()
        settings.fault = .emsgForm
        let events = try Self.segments(settings).segments.joined().filter { $0.type == "emsg" }
        #expect(events.count == 2)
        for (event, entry) in zip(events, TagSchedule(Self.settings(), renditionIndex: 0).entries) {
            #expect(Array(event.body.dropFirst(24)) == Array("urn:example:synthetic\0\0".utf8) + entry.bytes)
        }
    }

    @Test func avcConfiguration_matchesTheCodecsAttribute() throws {
        let (_, initialization) = try Self.segments(Self.settings())
        let sample = try #require(initialization.last?.first("trak", "mdia", "minf", "stbl", "stsd"))
        let bytes = Array(sample.body)
        let place = try #require(bytes.indices.first { Array(bytes[$0...].prefix(4)) == Array("avcC".utf8) })
        // AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1): version, profile, compatibility, level.
        let written = bytes[place + 5..<place + 8].map { String(format: "%02X", $0) }.joined()
        let playlist = PlaylistText.multivariant(Self.settings().renditions)
        #expect(playlist.contains("CODECS=\"avc1.\(written),mp4a.40.2\""))
    }
}
