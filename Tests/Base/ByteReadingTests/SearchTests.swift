import ByteReading
import Testing

@Suite struct SearchTests {
    private static let bytes: [UInt8] = [1, 2, 3, 2, 1]

    @Test func firstIndex_fromEachStart_isTheNextOne() {
        let span = Self.bytes.span
        #expect((0...5).map { span.firstIndex(of: 2, from: $0) } == [1, 1, 3, 3, 5, 5])
        #expect((0...5).map { span.firstIndex(of: 9, from: $0) } == [5, 5, 5, 5, 5, 5])
        let empty: [UInt8] = []
        #expect(empty.span.firstIndex(of: 0, from: 0) == 0)
    }

    @Test func equality_isOfAllBytes() {
        let span = Self.bytes.span
        #expect(span.equals(Array(Self.bytes).span))
        #expect(!span.equals(span.extracting(0..<4)))
        #expect(!span.equals([1, 2, 3, 2, 2].span))
        #expect(span.extracting(0..<0).equals(span.extracting(5..<5)))
        let text = Array("ID3".utf8)
        #expect(text.span.equals("ID3"))
        #expect(!text.span.equals("ID") && !text.span.equals("ID33") && !text.span.equals("IDX"))
    }

    @Test func appending_aSpanAndNumbers_addsTheirBytes() {
        var bytes: [UInt8] = [0]
        bytes.append(Self.bytes.span.extracting(1..<3))
        bytes.append(bigEndian: UInt16(0x1234))
        bytes.append(bigEndian: Int64(-2))
        #expect(bytes == [0, 2, 3, 0x12, 0x34] + [UInt8](repeating: 0xFF, count: 7) + [0xFE])
        #expect(UInt32(0x0102_0304).bigEndianBytes == [1, 2, 3, 4])
    }
}
