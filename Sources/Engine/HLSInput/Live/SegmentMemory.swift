import HLSPlaylist
internal import Synchronization

/// The memory budget for listed but unread segments, and for the tags of read ones that wait for a missing one, shared
/// by all renditions of a channel.
package final class SegmentMemory: Sendable {
    /// Memory reserved for segments or tags, returned to the budget on deinitialization.
    package final class Reservation: Sendable {
        private let memory: SegmentMemory
        private let byteCount: Int

        fileprivate init(_ byteCount: Int, of memory: SegmentMemory) {
            self.byteCount = byteCount
            self.memory = memory
        }

        deinit { memory.used.withLock { $0 -= byteCount } }

        /// Reserves more memory from the same budget, or returns nil if it is used up.
        package func reserveMore(_ byteCount: Int) -> Reservation? {
            let isReserved = memory.used.withLock { used in
                guard byteCount <= memory.maximumByteCount - used else { return false }
                used += byteCount
                return true
            }
            return isReserved ? Reservation(byteCount, of: memory) : nil
        }
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
            var newer: MediaSegment?
            for segment in segments.reversed() {
                let next = byteCount + segment.memoryByteCount(sharedWith: newer)
                guard next <= maximumByteCount - used else { break }
                byteCount = next
                count += 1
                newer = segment
            }
            used += byteCount
            return (count, byteCount)
        }
        return (count, Reservation(byteCount, of: self))
    }
}

extension MediaSegment {
    /// Returns the approximate memory use in bytes; keys and initialization segments that the next newer segment has
    /// too are shared with it.
    fileprivate func memoryByteCount(sharedWith newer: MediaSegment?) -> Int {
        var count = MemoryLayout<LiveSegment>.stride + uri.utf8.count + title.utf8.count
        if let map, map != newer?.map {
            count += map.uri.utf8.count
            if map.keys != keys { count += map.keys.reduce(0) { $0 + $1.memoryByteCount } }
        }
        // Equal keys of neighbors are the same references, which are compared without their texts.
        if keys == newer?.keys { return count }
        for (index, key) in keys.enumerated() {
            if let newer, newer.keys.indices.contains(index), newer.keys[index] == key { continue }
            count += key.memoryByteCount
        }
        return count
    }
}
