import ByteReading
import Testing

@Suite struct ByteReadingTests {
    private static let bytes: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x10]

    @Test func bigEndian_atEachOffset_readsTheExpectedValue() {
        let span = Self.bytes.span
        #expect(span.bigEndianUInt16(at: 0) == 0x0123)
        #expect(span.bigEndianUInt16(at: 1) == 0x2345)
        #expect(span.bigEndianUInt24(at: 1) == 0x234567)
        #expect(span.bigEndianUInt32(at: 0) == 0x0123_4567)
        #expect(span.bigEndianUInt32(at: 5) == 0xABCD_EF10)
        #expect(span.bigEndianUInt64(at: 0) == 0x0123_4567_89AB_CDEF)
        #expect(span.bigEndianUInt64(at: 1) == 0x2345_6789_ABCD_EF10)
    }

    @Test func bigEndian_atTheLastOffset_readsTheLastByte() {
        let span = Self.bytes.span
        #expect(span.bigEndianUInt16(at: 7) == 0xEF10)
        #expect(span.bigEndianUInt24(at: 6) == 0xCDEF10)
        #expect(span.bigEndianUInt32(at: 5) == 0xABCD_EF10)
        #expect(span.bigEndianUInt64(at: 1) == 0x2345_6789_ABCD_EF10)
    }

    @Test(arguments: [-1, 8, 9, Int.max, Int.min])
    func bigEndianUInt16_outOfBounds_traps(offset: Int) async {
        await #expect(processExitsWith: .failure) { [offset = offset as Int] in
            let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
            if bytes.span.bigEndianUInt16(at: offset) == 0 { print("zero") }
        }
    }

    @Test(arguments: [-1, 2, 9, Int.max, Int.min])
    func bigEndianUInt64_outOfBounds_traps(offset: Int) async {
        await #expect(processExitsWith: .failure) { [offset = offset as Int] in
            let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
            if bytes.span.bigEndianUInt64(at: offset) == 0 { print("zero") }
        }
    }

    @Test func bigEndianUInt32_ofFewerThanFourBytes_traps() async {
        await #expect(processExitsWith: .failure) {
            let bytes: [UInt8] = [1, 2, 3]
            if bytes.span.bigEndianUInt32(at: 0) == 0 { print("zero") }
        }
    }

    /// Each of the 28 bits has its own position, and a set top bit is invalid.
    @Test func syncSafeInteger_withEachBitSet_isDecodedOrInvalid() {
        for bit in 0..<32 {
            let raw = UInt32(1) << bit
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: raw >> (24 - 8 * $0)) }
            let value = bytes.span.syncSafeUInt28(at: 0)
            if bit % 8 == 7 {
                #expect(value == nil)
            } else {
                #expect(value == 1 << (bit - bit / 8))
            }
        }
        #expect([0x00, 0x00, 0x02, 0x05].span.syncSafeUInt28(at: 0) == 261)
        #expect([0x7F, 0x7F, 0x7F, 0x7F].span.syncSafeUInt28(at: 0) == 0x0FFF_FFFF)
    }

    @Test func hasASCII_atEveryOffset_neverReadsPastTheEnd() {
        let bytes = Array("xID3ID".utf8)
        let found = (-1...8).filter { bytes.span.hasASCII("ID3", at: $0) }
        #expect(found == [1])
    }

    @Test func copy_ofEachRange_equalsTheSlice() {
        for start in 0...Self.bytes.count {
            for end in start...Self.bytes.count {
                #expect(Self.bytes.span.copy(start..<end) == Array(Self.bytes[start..<end]))
            }
        }
    }
}
