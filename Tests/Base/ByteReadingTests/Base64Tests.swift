import ByteReading
import Foundation
import Testing

@Suite struct Base64Tests {
    @Test(arguments: 0..<64) func text_ofBytesOfEachCount_isFoundations(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count &* 97) }
        let expected = Data(bytes).base64EncodedString()
        #expect(Base64.text(bytes) == expected)
        let urlSafe = expected.replacing("+", with: "-").replacing("/", with: "_")
        #expect(String(decoding: Base64.urlSafe(bytes), as: UTF8.self) == urlSafe)
    }

    @Test func character_ofEachSixBits_isReadBackAsThem() {
        for bits in UInt8(0)..<64 {
            #expect(URLSafeBase64.value(of: URLSafeBase64.character(of: bits)) == bits)
        }
    }
}
