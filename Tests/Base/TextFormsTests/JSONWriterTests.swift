import ByteReading
import Foundation
import Testing

@testable import TextForms

@Suite struct JSONWriterTests {
    /// Returns the written value as Foundation reads it, which is the oracle.
    private static func readBack(_ body: (inout JSONWriter) -> Void) throws -> Any {
        var writer = JSONWriter()
        body(&writer)
        return try JSONSerialization.jsonObject(with: Data(writer.bytes), options: .fragmentsAllowed)
    }

    @Test func text_withEachScalarBelow0x300_roundTrips() throws {
        for scalar in (0..<0x300).compactMap(Unicode.Scalar.init) {
            let text = "a\(Character(scalar))b"
            #expect(try Self.readBack { $0.value(text) } as? String == text, "U+\(scalar.value)")
        }
        let wide = "😀 Grüße \u{2028}"
        #expect(try Self.readBack { $0.value(wide) } as? String == wide)
    }

    @Test func latin1_withEachByte_isTheScalarOfThatValue() throws {
        for byte in UInt8.min...UInt8.max {
            let text = try Self.readBack { $0.value(latin1: [byte]) } as? String
            #expect(text?.unicodeScalars.map(\.value) == [UInt32(byte)])
        }
    }

    @Test func text_withEveryByteAtEveryPosition_isEscapedOnlyWhereNeeded() {
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

    @Test func numbers_atTheirLimits_roundTrip() throws {
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

    @Test func nestedContainers_emptyAndFilled_haveCorrectCommas() {
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
}
