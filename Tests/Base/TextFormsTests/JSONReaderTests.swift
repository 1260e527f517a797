import Testing
import TextForms

@Suite struct JSONReaderTests {
    private func kind(_ text: [UInt8]) throws(JSONReader.JSONError) -> JSONReader.Kind {
        try JSONReader.kind(of: text.span, in: 0..<text.count)
    }

    private func isGood(_ bytes: [UInt8]) -> Bool {
        do throws(JSONReader.JSONError) {
            _ = try kind(bytes)
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: [
        "{}", "[]", " {\"a\" : 1 , \"b\":[ true,false,null ]}\n", "0", "-0", "-1.5e+10", "1E5", "\"\"",
        "\"\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"é€😀\"", "[[[[]]]]", "{\"a\":{\"b\":{\"c\":[{}]}}}",
        "\"\\ud800\"",
        "[1,[2,{\"a\":[]}],3]", "true", "null",
    ])
    func validText_isAccepted_andItsTruncationsAreRejected(text: String) throws {
        let bytes = Array(text.utf8)
        #expect(isGood(bytes))
        // A truncated number can still be a number, and a text can lose a blank at its end.
        let whole = Array(text.utf8.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed())
        guard try ![.number].contains(kind(bytes)) else { return }
        for count in 0..<whole.count { #expect(!isGood(Array(whole[..<count])), "\(text) cut to \(count)") }
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\"}", "{\"a\" 1}", "{1:1}", "[1 2]", "01",
        "1.", ".5",
        "+1", "1e", "1e+", "-", "--1", "nul", "tru", "True", "NaN", "'a'", "\"\t\"", "\"\n\"", "\"\\x\"",
        "\"\\u12g4\"",
        "{} {}", "[]]", "{\"a\":1]", "[1}", "\u{FEFF}{}", "{}\u{0}", "\"a", "[\"a\":1]", ",", ":", "1,",
        "/**/1", "[1.]", "[-]", "[1e]", "1d5",
        "\u{A0}1", "[,1]", "{,}", "{\"a\":,}",
    ])
    func malformedText_isRejected(text: String) {
        #expect(!isGood(Array(text.utf8)))
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xF0, 0x9F, 0x98],
            [0xF0, 0x9F, 0x98, 0x28],
        ] as [[UInt8]])
    func string_ofIllFormedUTF8_isRefused(bytes: [UInt8]) {
        #expect(!isGood([0x22] + bytes + [0x22]))
        #expect(!isGood([0x22] + bytes))
    }

    @Test func nestingDepth_isLimited() throws {
        let limit = JSONReader.maximumDepth
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for depth in [1, limit - 1, limit] {
                let text =
                    String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
                #expect(isGood(Array(text.utf8)))
            }
            let deep = Array(String(repeating: open, count: 1_000_000).utf8)
            #expect(throws: JSONReader.JSONError.tooDeep(at: open.utf8.count * limit)) { try kind(deep) }
        }
    }

    @Test func members_areVisitedInOrderWithTheirRanges() throws {
        let text = Array(#" { "id" : "ab", "n":-12 ,"\u0069d":{"id":[1]},"e":1e3, "t":true}"#.utf8)
        var found: [String] = []
        try JSONReader.members(of: text.span, in: 0..<text.count) { key, value, kind in
            let name = JSONReader.string(text.span, in: key)
            let isID = JSONReader.string(text.span, in: key, is: "id")
            found.append("\(name) \(isID) \(String(decoding: text[value], as: UTF8.self)) \(kind)")
        }
        #expect(
            found == [
                "id true \"ab\" string", "n false -12 number", "id true {\"id\":[1]} object",
                "e false 1e3 number",
                "t false true boolean",
            ])
    }

    @Test func elements_areVisitedInOrder() throws {
        let text = Array("[1,\"a\", {} ,[2]]".utf8)
        var found: [String] = []
        try JSONReader.elements(of: text.span, in: 0..<text.count) { value, kind in
            found.append("\(String(decoding: text[value], as: UTF8.self)) \(kind)")
        }
        #expect(found == ["1 number", "\"a\" string", "{} object", "[2] array"])
    }

    @Test func members_ofANonObject_throwOtherKind() {
        for text in ["[]", "1", " \"a\"", "null"] {
            let bytes = Array(text.utf8)
            #expect(throws: JSONReader.JSONError.otherKind(at: text.hasPrefix(" ") ? 1 : 0)) {
                try JSONReader.members(of: bytes.span, in: 0..<bytes.count) { _, _, _ in }
            }
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e3", nil),
            ("99999999999999999999999", nil),
        ] as [(String, Int64?)])
    func integer_isExactOrNil(text: String, value: Int64?) {
        let bytes = Array(text.utf8)
        #expect(JSONReader.integer(bytes.span, in: 0..<bytes.count) == value)
    }

    @Test(arguments: [
        "0", "-0", "7", "-7", "9007199254740993", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "0.1", "-1.5e-7", "1e3", "1e400", "-1e400", "123456789012345678901234567890",
    ])
    func number_equalsTheNumberOfTheStandardLibrary(text: String) throws {
        let bytes = Array("[\(text)]".utf8)
        let number = JSONReader.number(bytes.span, in: 1..<bytes.count - 1)
        #expect(number.bitPattern == (try #require(Double(text))).bitPattern)
    }

    @Test func visitor_thatThrows_endsTheVisit() {
        let bytes = Array(#"{"a":1,"b":2}"#.utf8)
        var keys: [String] = []
        #expect(throws: JSONReader.JSONError.tooDeep(at: 5)) {
            try JSONReader.members(of: bytes.span, in: 0..<bytes.count) {
                key, value, _ throws(JSONReader.JSONError) in
                keys.append(JSONReader.string(bytes.span, in: key))
                throw .tooDeep(at: value.lowerBound)
            }
        }
        #expect(keys == ["a"])
    }

    @Test(arguments: [
        (#""plain""#, "plain"), (#""é€😀 plain text""#, "é€😀 plain text"), (#""\u00e9\u20ac""#, "é€"),
        (#""\ud83d\ude00!""#, "😀!"),
        (#""\ud83d""#, "\u{FFFD}"),
        (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\uABCD\uabcd""#, "\u{ABCD}\u{ABCD}"), (#""""#, ""),
    ])
    func string_isUnescaped(text: String, value: String) {
        let bytes = Array(text.utf8)
        #expect(isGood(bytes))
        #expect(JSONReader.string(bytes.span, in: 0..<bytes.count) == value)
    }

    /// The reader accepts everything that the writer of this module writes.
    @Test func writerAndReader_agreeOnEveryByte() throws {
        for byte in UInt8.min ... .max {
            var writer = JSONWriter()
            writer.value(latin1: [0x41, byte, 0x42])
            let bytes = writer.bytes
            #expect(isGood(bytes), "byte \(byte)")
            let text = String(String.UnicodeScalarView([0x41, byte, 0x42].map { Unicode.Scalar($0) }))
            #expect(JSONReader.string(bytes.span, in: 0..<bytes.count) == text)
        }
    }
}
