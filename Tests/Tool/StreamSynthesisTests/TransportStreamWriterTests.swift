import ByteReading
import Testing

@testable import StreamSynthesis

/// The parts of a transport stream that a stream of the encoder does not reach.
struct TransportStreamWriterTests {
    private static func rewrite(_ bytes: inout [UInt8]) throws(SynthesisError) {
        try TransportStreamWriter.rewriteMaps(in: &bytes, from: 0, fault: nil)
    }

    /// Returns a packet with a PMT that has these lengths and loops, and an invalid checksum.
    private static func packet(sectionLength: Int, programLength: Int, rest: [UInt8] = []) -> [UInt8] {
        var packet: [UInt8] = [0x47, 0x50, 0x00, 0x10, 0x00, 0x02]
        packet += [
            0xB0 | UInt8(sectionLength >> 8), UInt8(sectionLength & 0xFF), 0x00, 0x01, 0xC1, 0x00, 0x00,
        ]
        packet += [0xE1, 0x00, 0xF0 | UInt8(programLength >> 8), UInt8(programLength & 0xFF)] + rest
        return packet + [UInt8](repeating: 0xFF, count: 188 - packet.count)
    }

    @Test(arguments: 0..<400)
    func lengths_beyondThePacket_areRefused(length: Int) {
        for programLength in [0, 1, length, 171, 4095] {
            var bytes = Self.packet(sectionLength: length, programLength: programLength)
            let end = 8 + length - 4
            let isPossible = end <= 184 && 17 + programLength <= end
            if !isPossible {
                #expect(throws: SynthesisError.self) { try Self.rewrite(&bytes) }
            }
        }
    }

    @Test func descriptors_otherThanID3_areKept() throws {
        let streams: [UInt8] = [0x0F, 0xE1, 0x01, 0xF0, 0x06, 0x0A, 0x04, 0x65, 0x6E, 0x67, 0x00]
        let program: [UInt8] = [0x05, 0x04, 0x48, 0x44, 0x4D, 0x56]
        var bytes = Self.packet(
            sectionLength: 9 + program.count + streams.count + 4, programLength: program.count,
            rest: program + streams)
        try Self.rewrite(&bytes)
        #expect(bytes.count == 188)
        let section = Array(bytes[5..<8 + (Int(bytes[6] & 0x0F) << 8 | Int(bytes[7]))])
        #expect(Array(section[10..<12]) == [0xF0, 0x17] && Array(section[12..<18]) == program)
        #expect(section[18] == 0x25 && Array(section.dropLast(4).suffix(streams.count)) == streams)
        #expect(CRC32MPEG2.of(section.span) == 0)
        #expect(bytes[(5 + section.count)...].allSatisfy { $0 == 0xFF })
    }

    @Test func existingID3Descriptors_areReplaced() throws {
        let formats = Array("ID3 ".utf8) + [0xFF] + Array("ID3 ".utf8)
        let programLoop = [0x25, 0x0F, 0xFF, 0xFF] + formats + [0x00, 0x1F, 0x00, 0x01]
        let streamLoop = [0x26, 0x0D, 0xFF, 0xFF] + formats + [0x00, 0x0F]
        let streams: [UInt8] = [0x15, 0xE1, 0x02, 0xF0, 0x04, 0x26, 0x02, 0x00, 0x00]
        let pointer: [UInt8] = [0x25, 0x01, 0x00]
        var bytes = Self.packet(
            sectionLength: 9 + 3 + streams.count + 4, programLength: 3, rest: pointer + streams)
        try Self.rewrite(&bytes)
        #expect(Array(bytes[17..<34]) == programLoop)
        #expect(Array(bytes[34..<39]) == [0x15, 0xE1, 0x02, 0xF0, 0x0F])
        #expect(Array(bytes[39..<54]) == streamLoop)
        let once = bytes
        try Self.rewrite(&bytes)
        #expect(bytes == once)
    }

    @Test func packets_ofOtherPIDs_areLeftAlone() throws {
        var bytes = Self.packet(sectionLength: 4000, programLength: 4000)
        bytes[2] = 0x01
        let before = bytes
        try Self.rewrite(&bytes)
        #expect(bytes == before)
    }

    @Test func bytes_thatAreNotPackets_areRefused() {
        var short = [UInt8](repeating: 0x47, count: 187)
        #expect(throws: SynthesisError.self) { try Self.rewrite(&short) }
        var other = [UInt8](repeating: 0, count: 188)
        #expect(throws: SynthesisError.self) { try Self.rewrite(&other) }
    }

    @Test(arguments: Array(1...600))
    func packets_ofEveryTagLength_areWhole(length: Int) {
        var tag = SynthesisSettings().tags(ofRendition: 0)[0]
        tag.bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        var packetizer = MetadataPacketizer(counter: 15)
        let packets = packetizer.packets(for: tag)
        #expect(packets.count == (length + 14 + 183) / 184 * 188)
        for (index, start) in stride(from: 0, to: packets.count, by: 188).enumerated() {
            #expect(packets[start] == 0x47 && packets[start + 2] == 0x02)
            #expect(packets[start + 3] & 0x0F == UInt8((15 + index) % 16))
        }
    }
}
