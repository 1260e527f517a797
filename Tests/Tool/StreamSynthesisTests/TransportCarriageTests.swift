import ByteReading
import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

struct TransportCarriageTests {
    /// Returns settings with audio only, which is quick to synthesize and has the same tags.
    static func soundOnly(_ fault: SynthesisFault? = nil, duration: Double = 60) -> SynthesisSettings {
        var settings = SynthesisSettings()
        settings.duration = duration
        settings.renditions = [.init(name: "audio", video: nil)]
        settings.fault = fault
        return settings
    }

    static func made(_ settings: SynthesisSettings) throws -> (RawTransportStream, SynthesisReport) {
        let directory = try TemporaryFolder()
        let report = try StreamSynthesizer(settings).write(to: directory.path)
        return (try RawTransportStream(playlist: directory.path + "/audio/index.m3u8"), report)
    }

    static let pointer: [UInt8] = Array("\u{25}\u{0f}".utf8) + [0xFF, 0xFF] + Array("ID3 ".utf8) + [0xFF]
    static let programLoop = pointer + Array("ID3 ".utf8) + [0x00, 0x1F, 0x00, 0x01]
    static let streamLoop: [UInt8] =
        [0x26, 0x0D, 0xFF, 0xFF] + Array("ID3 ".utf8) + [0xFF] + Array("ID3 ".utf8) + [0x00, 0x0F]

    @Test func stream_withoutFault_carriesTagsInConformingPackets() throws {
        let (stream, report) = try Self.made(Self.soundOnly())
        #expect(stream.counterErrors.isEmpty)
        #expect(stream.metadata.map(\.payload) == report.tags.map(\.bytes))
        #expect(stream.metadata.map(\.pts) == report.tags.map(\.pts))
        #expect(report.tags.count == 7)
        for metadata in stream.metadata {
            #expect(metadata.packetOffsets.count == 2)
            #expect(metadata.packetOffsets[1] == metadata.packetOffsets[0] + 188)
            #expect(Array(metadata.pes[..<9]) == [0, 0, 1, 0xBD, 0x01, 0x17, 0x84, 0x80, 0x05])
            #expect(metadata.pes.count == 6 + 0x117)
            let distance = try Int(#require(metadata.pts)) - Int(#require(metadata.precedingAudioPTS))
            // The PTS is that of an audio frame in the PES packet that begins with the preceding PTS.
            #expect(distance >= 0 && distance < 45_000 && distance.isMultiple(of: 1920))
        }
    }

    @Test func pmt_withoutFault_hasBothDescriptorsAndAValidCRC() throws {
        let (stream, _) = try Self.made(Self.soundOnly(duration: 5))
        let sections = Set(stream.mapSections)
        #expect(sections.count == 1 && !stream.mapSections.isEmpty)
        let expected: [UInt8] =
            [0x02, 0xB0, 0x37, 0x00, 0x01, 0xC1, 0x00, 0x00, 0xE1, 0x01, 0xF0, 0x11] + Self.programLoop
            + [0x0F, 0xE1, 0x01, 0xF0, 0x00, 0x15, 0xE1, 0x02, 0xF0, 0x0F] + Self.streamLoop
        let section = try #require(sections.first)
        #expect(Array(section.dropLast(4)) == expected)
        // The remainder over a section with its checksum is zero (ISO/IEC 13818-1, annex A).
        #expect(CRC32MPEG2.of(section.span) == 0)
    }

    @Test func pcr_ofAudioOnly_recursWithin100ms_andPrecedesTheAudio() throws {
        let (stream, _) = try Self.made(Self.soundOnly(duration: 20))
        let bases = stream.clockReferences.map(\.base)
        #expect(bases.count > 200)
        #expect(zip(bases, bases.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 <= 9000 })
        let leads = stream.clockReferences.map { stream.audioPTS[$0.audioCount] - $0.base }
        #expect(leads.allSatisfy { $0 == 13_500 })
    }

    @Test func crc_ofTheCatalogueString_isItsCheckValue() {
        #expect(CRC32MPEG2.of(Array("123456789".utf8).span) == 0x0376_E6E7)
    }

    @Test func faults_ofThePMT_changeOnlyThePMT() throws {
        let (healthy, _) = try Self.made(Self.soundOnly(duration: 5))
        let (bare, _) = try Self.made(Self.soundOnly(.pmtDescriptors, duration: 5))
        let (typed, _) = try Self.made(Self.soundOnly(.streamType, duration: 5))
        #expect(bare.metadata == healthy.metadata && typed.metadata == healthy.metadata)
        let bareSection = try #require(bare.mapSections.first)
        #expect(bareSection.count == 12 + 5 + 5 + 4 && CRC32MPEG2.of(bareSection.span) == 0)
        let healthySection = try #require(healthy.mapSections.first)
        let typedSection = try #require(typed.mapSections.first)
        #expect(typedSection.count == healthySection.count)
        let differences = zip(healthySection, typedSection).enumerated().filter { $1.0 != $1.1 }
        #expect(differences.first?.offset == 34 && typedSection[34] == 0x06)
        #expect(differences.dropFirst().allSatisfy { $0.offset >= healthySection.count - 4 })
        #expect(CRC32MPEG2.of(typedSection.span) == 0)
    }

    @Test(arguments: [
        SynthesisFault.ptsMissing, .pesIncomplete, .packetsPerTag, .continuity, .ownerPresent,
    ])
    func faults_ofPackets_changeOneTag(fault: SynthesisFault) throws {
        let (healthy, _) = try Self.made(Self.soundOnly())
        let (stream, report) = try Self.made(Self.soundOnly(fault))
        #expect(stream.mapSections == healthy.mapSections)
        let target = 4
        switch fault {
        case .ptsMissing:
            #expect(stream.metadata[target].pts == nil)
            #expect(stream.metadata.filter { $0.pts == nil }.count == 1)
            #expect(stream.metadata.map(\.payload) == healthy.metadata.map(\.payload))
        case .pesIncomplete:
            let cut = stream.metadata[target]
            #expect(cut.payload == Array(healthy.metadata[target].payload.prefix(200)))
            // The length matches the available bytes: the packet is complete, the tag is not.
            #expect(Int(cut.pes[4]) << 8 | Int(cut.pes[5]) == cut.pes.count - 6)
            #expect(stream.counterErrors.isEmpty)
        case .packetsPerTag:
            #expect(stream.metadata.map(\.packetOffsets.count) == [2, 2, 2, 2, 3, 2, 2])
            #expect(stream.metadata.map(\.pes) == healthy.metadata.map(\.pes))
        case .continuity:
            #expect(stream.counterErrors == [RawTransportStream.metadataPID])
            #expect(stream.metadata.count == healthy.metadata.count + 1)
            #expect(
                stream.metadata.map(\.payload).filter { $0.count == 271 } == healthy.metadata.map(\.payload))
        default:
            #expect(report.tags.isEmpty)
            #expect(stream.metadata.count == healthy.metadata.count)
            #expect(stream.metadata.allSatisfy { $0.payload == TagSchedule.otherOwnersTag })
        }
    }

    @Test func stream_acrossThePTSWrap_continuesModulo33Bits() throws {
        var settings = Self.soundOnly(duration: 30)
        settings.startPTS = 1 << 33 - 15 * 90_000
        let (stream, report) = try Self.made(settings)
        let (unwrapped, _) = try Self.made(Self.soundOnly(duration: 30))
        let shift = settings.startPTS &- 900_000
        let period: UInt64 = 1 << 33
        #expect(
            stream.metadata.map(\.pts) == unwrapped.metadata.map { $0.pts.map { ($0 &+ shift) % period } })
        #expect(stream.audioPTS == unwrapped.audioPTS.map { ($0 &+ shift) % period })
        #expect(try #require(report.tags.first).pts > (try #require(report.tags.last)).pts)
    }

    @Test(arguments: Array(0...32))
    func pes_ofEveryBitOfThePTS_roundTrips(bit: Int) {
        let time: Int64 = 1 << bit
        let pes = MetadataPacketizer.pes([1, 2, 3], time: time)
        #expect(RawTransportStream.pts(pes[9..<14]) == UInt64(time))
        #expect(pes[9] & 0xF1 == 0x21 && pes[11] & 1 == 1 && pes[13] & 1 == 1)
        #expect(MetadataPacketizer.pes([1, 2, 3], time: time + 1 << 33) == pes)
    }

    @Test(arguments: Array(1...600))
    func packets_ofEveryTagLength_holdOnlyThePES(length: Int) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let entry = TagSchedule.Entry(audioFrame: 0, time: 5, bytes: bytes)
        var packetizer = MetadataPacketizer(pid: 0x102)
        let packets = packetizer.packets(for: entry)
        let stream = RawTransportStream(segments: [packets, packetizer.packets(for: entry)])
        #expect(stream.metadata.map(\.payload) == [bytes, bytes])
        #expect(packets.count == (length + 14 + 183) / 184 * 188 && stream.counterErrors.isEmpty)
    }
}
