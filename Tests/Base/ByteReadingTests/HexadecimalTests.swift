import ByteReading
import Testing

@Suite struct HexadecimalTests {
    @Test func bytes_ofEveryValue_areReadBack() {
        let bytes = Array(UInt8.min ... .max)
        let text = Hexadecimal.text(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
        #expect(Hexadecimal.bytes(text) == bytes)
        #expect(Hexadecimal.bytes(text.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "0g", "zz", "00 ", " 00", "0x00", "é"])
    func bytes_ofInvalidHexadecimal_areNil(text: String) { #expect(Hexadecimal.bytes(text) == nil) }

    @Test func numbers_areZeroPaddedToTheirWidth() {
        #expect(Hexadecimal.text(of: UInt16(0xAB)) == "00ab")
        #expect(Hexadecimal.text(of: UInt64(0x0123_4567_89AB_CDEF)) == "0123456789abcdef")
        #expect(Hexadecimal.text(of: UInt128.max) == String(repeating: "f", count: 32))
    }

    @Test func number_isParsedOnlyFromExactlyItsDigits() {
        let text = Array("x0123aBcDy".utf8)
        let number: UInt32? = Hexadecimal.number(text.span, in: 1..<9)
        #expect(number == 0x0123_ABCD)
        for range in [0..<8, 1..<8, 1..<10, 2..<10, 0..<0, 5..<13] {
            let number: UInt32? = Hexadecimal.number(text.span, in: range)
            #expect(number == nil, "\(range)")
        }
    }

    @Test func digit_ofEachCharacter_agreesWithTheStandardLibrary() {
        for character in UInt8.min ... .max {
            let expected = character < 0x80 ? Character(Unicode.Scalar(character)).hexDigitValue : nil
            #expect(Hexadecimal.value(of: character).map(Int.init) == expected)
        }
        for value in UInt8(0)..<16 { #expect(Hexadecimal.value(of: Hexadecimal.digit(value)) == value) }
    }
}
