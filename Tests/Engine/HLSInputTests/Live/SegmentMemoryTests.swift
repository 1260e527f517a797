import HLSPlaylist
import Testing

@testable import HLSInput

/// The memory of listed segments that are not read yet.
@Suite struct SegmentMemoryTests {
    private static func segments(_ count: Int, keys: (Int) -> [EncryptionKey]) -> [MediaSegment] {
        (0..<count).map { MediaSegment(uri: "\($0)", duration: 6, mediaSequence: $0, keys: keys($0)) }
    }

    private static func key(_ number: Int) -> EncryptionKey {
        EncryptionKey(
            method: .sampleAES, uri: "k", keyFormat: String(repeating: "x", count: 65_000) + "\(number)")
    }

    /// A megabyte of keys that 30,000 segments share counts once.
    @Test func sharedKeys_countOnce() {
        let keys = (0..<16).map(Self.key)
        let memory = SegmentMemory(maximumByteCount: 32 << 20)
        let segments = Self.segments(30_000) { _ in keys }
        #expect(memory.reserve(segments).count == 30_000)
        #expect(SegmentMemory(maximumByteCount: 1_000_000).reserve(segments).count == 0)
    }

    /// A key that only one segment has counts for that segment; the others of its array are shared.
    @Test func replacedKeys_countForEachSegment() {
        var keys = (0..<16).map(Self.key)
        let segments = Self.segments(200) { number in
            keys[0] = Self.key(100 + number)
            return keys
        }
        let count = SegmentMemory(maximumByteCount: 4 << 20).reserve(segments).count
        #expect((40...50).contains(count), "\(count)")
    }
}
