import ByteReading
import Testing

@testable import StreamSynthesis

struct ProgramMapRewriterTests {
    private static let rewriter = ProgramMapRewriter(mapPID: 0x1000, metadataPID: 0x102, fault: nil)

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
                #expect(throws: SynthesisError.self) { try Self.rewriter.rewrite(&bytes, from: 0) }
            }
        }
    }

    @Test func descriptors_otherThanID3_areKept() throws {
        let streams: [UInt8] = [0x0F, 0xE1, 0x01, 0xF0, 0x06, 0x0A, 0x04, 0x65, 0x6E, 0x67, 0x00]
        let program: [UInt8] = [0x05, 0x04, 0x48, 0x44, 0x4D, 0x56]
        var bytes = Self.packet(
            sectionLength: 9 + program.count + streams.count + 4, programLength: program.count,
            rest: program + streams)
        try Self.rewriter.rewrite(&bytes, from: 0)
        #expect(bytes.count == 188)
        let section = Array(bytes[5..<8 + (Int(bytes[6] & 0x0F) << 8 | Int(bytes[7]))])
        #expect(Array(section[10..<12]) == [0xF0, 0x17] && Array(section[12..<18]) == program)
        #expect(section[18] == 0x25 && Array(section.dropLast(4).suffix(streams.count)) == streams)
        #expect(CRC32MPEG2.of(section.span) == 0)
        #expect(bytes[(5 + section.count)...].allSatisfy { $0 == 0xFF })
    }

    @Test func existingID3Descriptors_areReplaced() throws {
        let streams: [UInt8] = [0x15, 0xE1, 0x02, 0xF0, 0x04, 0x26, 0x02, 0x00, 0x00]
        let pointer: [UInt8] = [0x25, 0x01, 0x00]
        var bytes = Self.packet(
            sectionLength: 9 + 3 + streams.count + 4, programLength: 3, rest: pointer + streams)
        try Self.rewriter.rewrite(&bytes, from: 0)
        #expect(Array(bytes[17..<34]) == TransportCarriageTests.programLoop)
        #expect(Array(bytes[34..<39]) == [0x15, 0xE1, 0x02, 0xF0, 0x0F])
        #expect(Array(bytes[39..<54]) == TransportCarriageTests.streamLoop)
        let once = bytes
        try Self.rewriter.rewrite(&bytes, from: 0)
        #expect(bytes == once)
    }

    @Test func packets_ofOtherPIDs_areLeftAlone() throws {
        var bytes = Self.packet(sectionLength: 4000, programLength: 4000)
        bytes[2] = 0x01
        let before = bytes
        try Self.rewriter.rewrite(&bytes, from: 0)
        #expect(bytes == before)
    }

    @Test func bytes_thatAreNotPackets_areRefused() {
        var short = [UInt8](repeating: 0x47, count: 187)
        #expect(throws: SynthesisError.self) { try Self.rewriter.rewrite(&short, from: 0) }
        var other = [UInt8](repeating: 0, count: 188)
        #expect(throws: SynthesisError.self) { try Self.rewriter.rewrite(&other, from: 0) }
    }
}
