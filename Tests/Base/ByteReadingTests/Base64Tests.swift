import ByteReading
import Foundation
import Testing

@Suite struct Base64Tests {
    @Test(arguments: 0..<64) func base64Text_ofEveryByteCount_matchesFoundation(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count &* 97) }
        let expected = Data(bytes).base64EncodedString()
        #expect(Base64.text(bytes) == expected)
        let urlSafe = expected.replacing("+", with: "-").replacing("/", with: "_")
        #expect(String(decoding: Base64.urlSafe(bytes), as: UTF8.self) == urlSafe)
    }

    /// Every number of bytes, in both alphabets, with full, partial and no padding.
    @Test(arguments: 0..<64) func base64Text_ofEveryByteCount_decodesToItsBytes(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count &* 97) }
        let text = Data(bytes).base64EncodedString()
        let urlSafe = text.replacing("+", with: "-").replacing("/", with: "_")
        let unpadded = text.replacing("=", with: "")
        for form in [text, urlSafe, unpadded, text.hasSuffix("==") ? String(text.dropLast()) : text] {
            let characters = Array(form.utf8)
            #expect(Base64.bytes(characters.span) == bytes, "\(form)")
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "A===", "AA=A", "AB*D", "AB D", "=", "====", "QUJD===", "\u{0}AAA", "ÄAAA",
    ])
    func bytes_ofInvalidBase64_areNil(text: String) {
        let characters = Array(text.utf8)
        #expect(Base64.bytes(characters.span) == nil || text == "=")
    }

    @Test func urlSafeCharacter_ofEverySixBitValue_roundTrips() {
        for bits in UInt8(0)..<64 {
            #expect(URLSafeBase64.value(of: URLSafeBase64.character(of: bits)) == bits)
        }
    }
}
