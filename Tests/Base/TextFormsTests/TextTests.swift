import Testing
import TextForms

@Suite struct TextTests {
    @Test(arguments: [
        (0, "0.000"), (1.000_5, "1.001"), (-1.25, "-1.250"), (-0.000_1, "0.000"), (1e11, "100000000000.000"),
        (1e12, "–"), (-.infinity, "–"), (.nan, "–"),
    ])
    func fixed_hasTheRequestedDecimals(number: Double, text: String) {
        #expect(DecimalText.fixed(number, decimals: 3) == text)
    }

    @Test(
        arguments: [
            ("1.5", 1.5), ("007", 7), ("", nil), ("1e3", nil), ("-1", nil), ("0x1", nil), ("1.2.3", nil),
            (String(repeating: "9", count: 400), nil),
        ] as [(String, Double?)])
    func value_ofADecimalText_isANumberOrNil(text: String, expected: Double?) {
        #expect(DecimalText.value(text) == expected)
    }

    @Test(
        arguments: [
            ("90s", 90), ("15m", 900), ("36h", 129_600), ("10d", 864_000), ("1.5h", 5_400), ("7", 7),
            ("1000000000", 1e9), ("1000000001", nil), ("", nil), ("h", nil), ("-1s", nil), ("1e3", nil),
            ("5w", nil),
        ] as [(String, Double?)])
    func seconds_ofADurationText_areANumberOrNil(text: String, expected: Double?) {
        #expect(DurationText.seconds(text) == expected)
    }

    @Test func column_isPaddedToItsWidth_andNotTruncated() {
        #expect(TextColumn.left("ab", 4) == "ab  " && TextColumn.right("ab", 4) == "  ab")
        #expect(TextColumn.left("abc", 2) == "abc" && TextColumn.right("abc", 2) == "abc")
    }

    @Test func decimalText_inEachStyle_isHumanReadable() {
        #expect(DecimalText.fixed(2.5, decimals: 0) == "3")
        #expect(DecimalText.fixed(.nan, decimals: 3, unknown: "-") == "-")
        #expect(
            [0, 0.5, 10, -12.25, 1.000_4, -0.000_1, 1.05, 300, 0.999_5, 2.004].map { DecimalText.short($0) }
                == [
                    "0", "0.5", "10", "-12.25", "1", "0", "1.05", "300", "1", "2.004",
                ])
        #expect(DecimalText.short(.infinity, unknown: "inf") == "inf")
        #expect([0, 59.6, 3_723, -61].map(DecimalText.clock) == ["0:00", "1:00", "1:02:03", "-1:01"])
        #expect(
            [0, 999, -1_234, 1_234_567].map(DecimalText.grouped) == [
                "0", "999", "-1\u{202F}234", "1\u{202F}234\u{202F}567",
            ])
        #expect(DecimalText.padded(7, digits: 3) == "007" && DecimalText.padded(1_234, digits: 3) == "1234")
    }

    @Test(arguments: [
        ("", ""), ("plain text", "plain text"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""),
        ("two\nlines", "\"two\nlines\""), ("\r", "\"\r\""), ("\"", "\"\"\"\""),
        ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+1", "'+1"), ("-1", "'-1"), ("\t=1", "'\t=1"),
        ("\r=1", "\"'\r=1\""), ("=A1,B1", "\"'=A1,B1\""), ("-", "-"), ("a=1", "a=1"), (" =1", " =1"),
    ])
    func csvField_isQuotedWhenNecessary(text: String, field: String) { #expect(CSVField.text(text) == field) }

    @Test(arguments: [
        ("a%20b", "a b"), ("%41%2f%2F", "A//"), ("100%", "100%"), ("%4", "%4"), ("%4g", "%4g"),
        ("%%41", "%A"),
        ("%C3%A9", "é"), ("%FF", "\u{FFFD}"), ("", ""),
    ])
    func percentEscapes_areDecoded(text: String, decoded: String) {
        #expect(PercentEncoding.decoded(Substring(text)) == decoded)
    }

    @Test func xmlText_ofAnyCharacter_isAllowedInXML() {
        #expect(
            XMLText.escaped("<a b=\"c\" d='e'>&\t\n\r")
                == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;&#9;&#10;&#13;")
        #expect(XMLText.escaped("\u{0}\u{1B}\u{FFFE}é😀") == "\u{FFFD}\u{FFFD}\u{FFFD}é😀")
    }

    @Test func printableText_escapesTerminalControlCharacters() {
        #expect(PrintableText.of("plain é 😀") == "plain é 😀")
        #expect(PrintableText.of("\u{1B}[2J\n\u{202E}") == "<1B>[2J<0A><202E>")
    }

    /// The example of RFC 9110, 5.6.7, and the limits of the representable dates.
    @Test func httpDate_matchesRFC9110() {
        #expect(HTTPDate.text(unixSeconds: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(unixSeconds: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(unixSeconds: -1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.text(unixSeconds: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.text(unixSeconds: .min) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test func tableText_ofExtremeTimes_isClampedToYears0To9999() {
        #expect(RFC3339.tableText(unixSeconds: .max) == "9999-12-31 23:59:59")
        #expect(RFC3339.tableText(unixSeconds: .min) == "0000-01-01 00:00:00")
    }

    @Test func counts_haveASingular_forOneOnly() {
        #expect(
            [0, 1, 2, -1].map { DecimalText.count($0, "tag") } == ["0 tags", "1 tag", "2 tags", "-1 tags"])
        #expect([1, 2].map { DecimalText.count(Int64($0), "batch", "batches") } == ["1 batch", "2 batches"])
        #expect([1, 1_000].map { DecimalText.groupedCount($0, "tag") } == ["1 tag", "1\u{202F}000 tags"])
        #expect(DecimalText.groupedCount(2, "copy", "copies") == "2 copies")
    }
}
