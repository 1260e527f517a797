import ByteReading

/// The ID3 tags before the first sync byte of a transport stream.
struct SegmentFront: Sendable, Hashable {
    /// The bytes before the first sync byte that belong to tags.
    var bytes: [UInt8] = []

    /// The tags in `bytes`, in order; their ranges are also offsets in the segment.
    var tags: [FrontTag] = []

    struct FrontTag: Sendable, Hashable {
        let range: Range<Int>
        /// The length from the tag header, which exceeds `range` if packets begin inside the tag.
        let declaredByteCount: Int
    }

    enum Answer {
        /// The tags, and the offset at which the search for packets starts.
        case decided(SegmentFront, searchFrom: Int)
        case undecided
    }

    /// Finds the tags at the front of `bytes`.
    ///
    /// The length in a tag header is valid if it stays within `limit` and packets follow the tag. If packets begin
    /// inside the tag instead, its length is wrong, and the tag is truncated at the first packet.
    static func measure(_ bytes: Span<UInt8>, isEnd: Bool, limit: Int) -> Answer {
        var front = SegmentFront()
        var position = 0
        while true {
            switch TagExtent.measure(bytes, position..<bytes.count) {
            case .none: break
            case .beginning where !isEnd: return .undecided
            case .beginning: break
            case .tag(let byteCount) where byteCount <= limit - position:
                guard byteCount <= bytes.count - position else {
                    if !isEnd { return .undecided }
                    break
                }
                front.tags.append(
                    FrontTag(range: position..<position + byteCount, declaredByteCount: byteCount))
                position += byteCount
                continue
            case .tag(let byteCount):
                front.tags.append(FrontTag(range: position..<position, declaredByteCount: byteCount))
            }
            break
        }
        let needed = position + PacketSync.timeCodeByteCount + PacketSync.decisionByteCount
        guard isEnd || front.tags.isEmpty || bytes.count >= needed else { return .undecided }
        if front.tags.isEmpty { return .decided(front, searchFrom: 0) }
        let isFollowedByPackets = [0, 4].contains {
            PacketSync.stride(bytes, at: position + $0, preferring: 188) != nil
        }
        if !isFollowedByPackets { front.truncateWherePacketsBegin(bytes) }
        let end = front.tags.last?.range.upperBound ?? 0
        front.bytes = bytes.copy(0..<min(end, bytes.count))
        return .decided(front, searchFrom: end)
    }

    /// Truncates the first tag in which packets begin, and drops the tags after it.
    private mutating func truncateWherePacketsBegin(_ bytes: Span<UInt8>) {
        guard let last = tags.last else { return }
        let first = min(10, bytes.count)
        guard case .found(let sync) = PacketSync.search(bytes, from: first, isEnd: false, preferring: 188)
        else {
            return
        }
        guard sync.offset < last.range.upperBound || last.range.isEmpty else { return }
        tags = tags.compactMap { tag in
            guard tag.range.lowerBound < sync.offset else { return nil }
            let end = tag.range.isEmpty ? sync.offset : min(tag.range.upperBound, sync.offset)
            return FrontTag(range: tag.range.lowerBound..<end, declaredByteCount: tag.declaredByteCount)
        }
    }
}
