import ByteReading
import Testing

@Suite struct CRC32Tests {
    private static func sum(_ bytes: [UInt8], continuing start: UInt32 = 0) -> UInt32 {
        CRC32.of(bytes.span, continuing: start)
    }

    private static func mpegSum(_ bytes: [UInt8]) -> UInt32 { CRC32MPEG2.of(bytes.span) }

    /// The check values of the catalogue of parametrised CRC algorithms.
    @Test func checksums_of123456789_areTheCheckValues() {
        let digits = Array("123456789".utf8)
        #expect(Self.sum(digits) == 0xCBF4_3926)
        #expect(Self.mpegSum(digits) == 0x0376_E6E7)
        #expect(Self.sum([]) == 0)
        #expect(Self.mpegSum([]) == 0xFFFF_FFFF)
    }

    /// Returns the sum, computed bit by bit as the polynomial defines it.
    private static func bitwise(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 != 0 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    @Test(arguments: 0..<70) func checksum_ofEveryLength_equalsTheBitwiseResult(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        let expected = Self.bitwise(bytes)
        #expect(Self.sum(bytes) == expected)
        for split in 0...count {
            let first = Self.sum(Array(bytes[..<split]))
            #expect(Self.sum(Array(bytes[split...]), continuing: first) == expected)
        }
    }

    @Test func checksum_ofWords_equalsThatOfTheirBytes() {
        let words: [UInt64] = [0x0123_4567_89AB_CDEF, 42, .max]
        let stored = words.map(\.bigEndian)
        let sum = CRC32.of(bigEndian: stored.span)
        #expect(sum == Self.sum(words.flatMap(\.bigEndianBytes)))
    }

    @Test func section_withItsChecksumAppended_hasChecksumZero() {
        let section: [UInt8] = [0x02, 0xB0, 0x12, 0x00, 0x01]
        #expect(Self.mpegSum(section + Self.mpegSum(section).bigEndianBytes) == 0)
    }
}
