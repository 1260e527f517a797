import ByteReading
import Testing

@Suite struct SearchTests {
    private static let bytes: [UInt8] = [1, 2, 3, 2, 1]

    @Test func firstIndex_fromEachStart_isTheNextOccurrence() {
        let span = Self.bytes.span
        #expect((0...5).map { span.firstIndex(of: 2, from: $0) } == [1, 1, 3, 3, 5, 5])
        #expect((0...5).map { span.firstIndex(of: 9, from: $0) } == [5, 5, 5, 5, 5, 5])
        let empty: [UInt8] = []
        #expect(empty.span.firstIndex(of: 0, from: 0) == 0)
    }

    private static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.span.equals(second.span)
    }

    private static func matches(_ text: String, _ other: StaticString) -> Bool {
        Array(text.utf8).span.equals(other)
    }

    @Test func equality_comparesAllBytes() {
        #expect(Self.areEqual(Self.bytes, [1, 2, 3, 2, 1]))
        #expect(!Self.areEqual(Self.bytes, [1, 2, 3, 2]))
        #expect(!Self.areEqual(Self.bytes, [1, 2, 3, 2, 2]))
        #expect(Self.areEqual([], []))
        #expect(Self.matches("ID3", "ID3"))
        #expect(!Self.matches("ID3", "ID") && !Self.matches("ID3", "ID33") && !Self.matches("ID3", "IDX"))
    }

    @Test func appending_aSpanAndNumbers_addsTheirBytes() {
        var bytes: [UInt8] = [0]
        bytes.append(Self.bytes.span.extracting(1..<3))
        bytes.append(bigEndian: UInt16(0x1234))
        bytes.append(bigEndian: Int64(-2))
        #expect(bytes == [0, 2, 3, 0x12, 0x34] + [UInt8](repeating: 0xFF, count: 7) + [0xFE])
        #expect(UInt32(0x0102_0304).bigEndianBytes == [1, 2, 3, 4])
    }

    @Test func firstIndex_ofAText_isItsFirstOccurrenceOrTheCount() {
        let bytes = Array("wwww.x www.x".utf8)
        #expect(bytes.span.firstIndex(of: "www.x") == 1)
        #expect(bytes.span.firstIndex(of: " www.x") == 6)
        #expect(bytes.span.firstIndex(of: "www.x ") == 1)
        for text in ["www.y", "x w.", "www.x www.x w"] as [StaticString] {
            #expect(bytes.span.firstIndex(of: text) == bytes.count)
        }
        let empty: [UInt8] = []
        #expect(empty.span.firstIndex(of: "w") == 0)
    }
}
