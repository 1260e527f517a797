import ByteReading
import Testing

@Suite struct CRC32Tests {
    /// The check values of the catalogue of parametrised CRC algorithms.
    @Test func sums_ofTheNineDigits_areTheCheckValues() {
        let digits = Array("123456789".utf8)
        #expect(CRC32.of(digits.span) == 0xCBF4_3926)
        #expect(CRC32MPEG2.of(digits.span) == 0x0376_E6E7)
        let empty: [UInt8] = []
        #expect(CRC32.of(empty.span) == 0)
        #expect(CRC32MPEG2.of(empty.span) == 0xFFFF_FFFF)
    }

    /// Bit by bit, as the polynomial is defined.
    private static func bitwise(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 != 0 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
    }

    @Test(arguments: 0..<70) func sum_ofEachLength_isThatOfTheDefinition(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        #expect(CRC32.of(bytes.span) == Self.bitwise(bytes))
        for split in 0...count {
            let first = CRC32.of(bytes.span.extracting(0..<split))
            #expect(CRC32.of(bytes.span.extracting(split..<count), continuing: first) == Self.bitwise(bytes))
        }
    }

    @Test func sum_ofWords_isThatOfTheirBytes() {
        let words: [UInt64] = [0x0123_4567_89AB_CDEF, 42, .max]
        let stored = words.map(\.bigEndian)
        #expect(CRC32.of(bigEndian: stored.span) == CRC32.of(words.flatMap(\.bigEndianBytes).span))
    }

    @Test func section_withItsOwnSum_hasSumZero() {
        let section: [UInt8] = [0x02, 0xB0, 0x12, 0x00, 0x01]
        let complete = section + CRC32MPEG2.of(section.span).bigEndianBytes
        #expect(CRC32MPEG2.of(complete.span) == 0)
    }
}
