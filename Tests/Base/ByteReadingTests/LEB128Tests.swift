import ByteReading
import Testing

@Suite struct LEB128Tests {
    /// The example of the DWARF standard, 7.6, and the ends of the range.
    @Test(
        arguments: [
            (0, [0]), (2, [2]), (127, [0x7F]), (128, [0x80, 1]), (129, [0x81, 1]), (12_857, [0xB9, 0x64]),
            (624_485, [0xE5, 0x8E, 0x26]), (.max, [UInt8](repeating: 0xFF, count: 9) + [1]),
        ] as [(UInt64, [UInt8])])
    func number_isWrittenAndReadBack(number: UInt64, bytes: [UInt8]) throws {
        var written: [UInt8] = []
        LEB128.append(number, to: &written)
        #expect(written == bytes)
        let around = [9] + bytes + [9]
        var offset = 1
        #expect(try LEB128.read(from: around.span, at: &offset) == number)
        #expect(offset == 1 + bytes.count)
        for count in bytes.indices {
            var offset = 0
            #expect(throws: LEB128.ReadingError.truncated) {
                try LEB128.read(from: bytes.span.extracting(0..<count), at: &offset)
            }
            #expect(offset == 0)
        }
    }

    @Test(arguments: [
        [UInt8](repeating: 0xFF, count: 9) + [2], [UInt8](repeating: 0x80, count: 10) + [0],
        [UInt8](repeating: 0xFF, count: 64),
    ])
    func number_ofMoreThan64Bits_isTooLarge(bytes: [UInt8]) {
        var offset = 0
        #expect(throws: LEB128.ReadingError.tooLarge) { try LEB128.read(from: bytes.span, at: &offset) }
    }
}
