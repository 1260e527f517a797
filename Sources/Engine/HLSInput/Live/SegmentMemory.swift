import HLSPlaylist
internal import Synchronization

/// What the segments that a channel's playlists list may take in memory until they are read, all renditions together.
final class SegmentMemory: Sendable {
    /// Room that segments have, given back when it is let go.
    final class Reservation: Sendable {
        private let memory: SegmentMemory
        private let byteCount: Int

        fileprivate init(_ byteCount: Int, of memory: SegmentMemory) {
            self.byteCount = byteCount
            self.memory = memory
        }

        deinit { memory.used.withLock { $0 -= byteCount } }
    }

    private let maximumByteCount: Int
    private let used = Mutex(0)

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// Takes room for the newest segments, as many as there is room for.
    ///
    /// - Returns: how many that are.
    func reserve(_ segments: [MediaSegment]) -> (count: Int, reservation: Reservation) {
        let (count, byteCount) = used.withLock { used -> (Int, Int) in
            var count = 0
            var byteCount = 0
            for segment in segments.reversed() {
                let next = byteCount + segment.memoryByteCount
                guard next <= maximumByteCount - used else { break }
                byteCount = next
                count += 1
            }
            used += byteCount
            return (count, byteCount)
        }
        return (count, Reservation(byteCount, of: self))
    }
}

extension MediaSegment {
    /// What it takes in memory, near enough; keys and initialization segment are shared with others, but need not be.
    fileprivate var memoryByteCount: Int {
        var count = MemoryLayout<LiveSegment>.stride + uri.utf8.count + title.utf8.count
        count += map?.uri.utf8.count ?? 0
        for key in keys { count += key.uri?.utf8.count ?? 0 }
        return count
    }
}
