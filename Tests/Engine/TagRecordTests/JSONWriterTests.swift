import Foundation
import Testing

@testable import TagRecord

@Suite struct JSONWriterTests {
    /// Foundation's reader is the oracle: what it reads back is what was written.
    private static func readBack(_ body: (inout JSONWriter) -> Void) throws -> Any {
        var writer = JSONWriter()
        body(&writer)
        return try JSONSerialization.jsonObject(with: Data(writer.bytes), options: .fragmentsAllowed)
    }

    @Test func text_withEachScalarBelow0x300_readsBackAsItWas() throws {
        for scalar in (0..<0x300).compactMap(Unicode.Scalar.init) {
            let text = "a\(Character(scalar))b"
            #expect(try Self.readBack { $0.value(text) } as? String == text, "U+\(scalar.value)")
        }
        let wide = "😀 Grüße \u{2028}"
        #expect(try Self.readBack { $0.value(wide) } as? String == wide)
    }

    @Test func latin1_withEachByte_isTheCharacterOfThatNumber() throws {
        for byte in UInt8.min...UInt8.max {
            let text = try Self.readBack { $0.value(latin1: [byte]) } as? String
            #expect(text?.unicodeScalars.map(\.value) == [UInt32(byte)])
        }
    }

    @Test func text_withEachByteAtEachPlace_isEscapedWhereItMustBe() {
        var wrong: [[UInt8]] = []
        for length in 1...19 {
            for place in 0..<length {
                for byte in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: UInt8(ascii: "~"), count: length)
                    text[place] = byte
                    let isPlain = byte >= 0x20 && byte != 0x22 && byte != 0x5C && byte != 0x7F
                    let isRight =
                        text.span.needsNoEscape(isASCII: false) == isPlain
                        && text.span.needsNoEscape(isASCII: true) == (isPlain && byte < 0x80)
                    if !isRight { wrong.append(text) }
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test func numbers_atTheirEdges_readBackAsTheyWere() throws {
        for number in [0, 1, 9, 10, 99, 100, 12_345, Int.max, Int.min, -1] {
            #expect(try Self.readBack { $0.value(number) } as? Int == number)
        }
        #expect(try Self.readBack { $0.value(UInt64.max) } as? UInt64 == UInt64.max)
        for number in [0, 19.2, 1e-9, 1e300, -0.5, .greatestFiniteMagnitude] {
            #expect(try Self.readBack { $0.value(number) } as? Double == number)
        }
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(try Self.readBack { $0.value(number) } is NSNull)
        }
    }

    @Test func nested_withEmptyAndFullParts_hasItsCommasWhereTheyBelong() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.endArray()
        writer.key("b")
        writer.beginArray()
        writer.value(1)
        writer.beginObject()
        writer.endObject()
        writer.value(true)
        writer.null()
        writer.endArray()
        writer.key("c")
        writer.value(String?.none)
        writer.endObject()
        writer.endLine()
        writer.value(false)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == #"{"a":[],"b":[1,{},true,null],"c":null}"#
                + "\nfalse")
    }

    @Test func rfc3339_onEachDayOfFourCenturies_agreesWithFoundation() throws {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        // Every 13th day and some hours from 1890 on: all months, leap days and century years come by.
        for step in stride(from: -2_524_608_000_000, to: 10_098_345_600_000, by: 1_127_593_123) {
            let milliseconds = Int64(step)
            let seconds = (Double(milliseconds) / 1_000).rounded(.down)
            let text = RFC3339.text(unixMilliseconds: milliseconds)
            let expected = formatter.string(from: Date(timeIntervalSince1970: seconds))
            #expect(text.prefix(20) == expected.prefix(19) + ".")
            #expect(text.dropFirst(20).dropLast() == Self.threeDigits(milliseconds - Int64(seconds) * 1_000))
        }
        #expect(RFC3339.text(unixMilliseconds: 1_763_640_019_200) == "2025-11-20T12:00:19.200Z")
        #expect(RFC3339.text(unixMilliseconds: .min) == "0000-01-01T00:00:00.000Z")
        #expect(RFC3339.text(unixMilliseconds: .max) == "9999-12-31T23:59:59.999Z")
        #expect(RFC3339.tableText(unixSeconds: 1_491_483_783) == "2017-04-06 13:03:03")
    }

    private static func threeDigits(_ number: Int64) -> Substring {
        Substring(String(repeating: "0", count: 3 - String(number).count) + String(number))
    }

    @Test func sha256_ofTheStandardsExamples_isTheirDigest() {
        let abc = Hexadecimal.text(Digest.sha256(Array("abc".utf8)))
        #expect(abc == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let nothing = Hexadecimal.text(Digest.sha256([]))
        #expect(nothing == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }
}
