import Testing
import TextForms

@Suite struct LineSplitterTests {
    private static func lines(of text: String, pieceByteCount: Int, maximum: Int = 8) -> [LineSplitter.Line] {
        var splitter = LineSplitter(maximumByteCount: maximum)
        var lines: [LineSplitter.Line] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            splitter.append(bytes[start..<min(bytes.count, start + pieceByteCount)])
            while let line = splitter.next() { lines.append(line) }
        }
        splitter.finish()
        while let line = splitter.next() { lines.append(line) }
        #expect(splitter.number == lines.count && splitter.end == bytes.count)
        return lines
    }

    @Test func input_inPiecesOfEverySize_yieldsTheSameLines() {
        let text = "one\n\r\ntwo\r\n123456789\n12345678\r\n1234567890123456789\n\nend"
        let expected: [LineSplitter.Line] = [
            .text(Array("one".utf8)), .text([]), .text(Array("two".utf8)), .tooLong,
            .text(Array("12345678".utf8)),
            .tooLong, .text([]), .text(Array("end".utf8)),
        ]
        for size in 1...text.utf8.count {
            #expect(Self.lines(of: text, pieceByteCount: size) == expected, "pieces of \(size) bytes")
        }
    }

    @Test func lastLine_withOrWithoutANewline_isTheSame() {
        #expect(Self.lines(of: "", pieceByteCount: 4).isEmpty)
        #expect(Self.lines(of: "a\n", pieceByteCount: 4) == [.text([0x61])])
        #expect(Self.lines(of: "a", pieceByteCount: 4) == [.text([0x61])])
        #expect(Self.lines(of: "123456789", pieceByteCount: 4) == [.tooLong])
    }
}
