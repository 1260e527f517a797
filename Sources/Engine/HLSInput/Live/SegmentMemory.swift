import HLSPlaylist
internal import Synchronization

/// The memory budget for listed but unread segments, shared by all renditions of a channel.
package final class SegmentMemory: Sendable {
    /// Memory reserved for segments, returned to the budget on deinitialization.
    package final class Reservation: Sendable {
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

    /// Reserves memory for as many of the newest segments as possible.
    ///
    /// - Returns: The number of segments and their reservation.
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
    /// The approximate memory use in bytes, an upper bound because keys and initialization segments may be shared.
    fileprivate var memoryByteCount: Int {
        var count = MemoryLayout<LiveSegment>.stride + uri.utf8.count + title.utf8.count
        count += map?.uri.utf8.count ?? 0
        for key in keys { count += key.uri?.utf8.count ?? 0 }
        return count
    }
}
