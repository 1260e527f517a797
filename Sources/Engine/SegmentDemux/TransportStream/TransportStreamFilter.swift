import ByteReading
import ID3v2

/// Selects the packets of one transport stream segment that can contain timed ID3.
///
/// The output depends on the segment's bytes and the initial program map, not on how the bytes were split into chunks.
/// For nearly all packets only the header is read.
struct TransportStreamFilter: ContainerFilter {
    private enum Phase {
        /// At the start of the segment, where tags may precede the packets.
        case front
        /// Searching for sync bytes.
        case searching
        /// At a sync byte.
        case locked
    }

    private var phase = Phase.front
    private var stride = TransportPacket.byteCount
    /// Unread bytes: a packet that continues in the next chunk, or bytes to be searched for sync.
    private var pending: [UInt8] = []
    /// The offset of the next byte to read in the segment.
    private var offset = 0
    /// The start of the bytes without packets, or nil while packets are in sync.
    private var syncLossOffset: Int?
    private var selector: PacketSelector
    private let limits: DemuxLimits

    /// Creates a filter for one segment, with the program map of the previous segments.
    init(map: ProgramMap = ProgramMap(), limits: DemuxLimits = DemuxLimits()) {
        self.limits = limits
        selector = PacketSelector(map: map, limits: limits)
    }

    static func content(_ passed: FilteredPackets) -> FilteredSegment.Content { .transportStream(passed) }

    var passedByteCount: Int { selector.output.packets.count + selector.output.front.bytes.count }

    var pendingByteCount: Int { pending.count + selector.unmappedByteCount }

    /// Whether packets came before the segment's own tables, or the tables are missing.
    var needsEarlierSegments: Bool { selector.output.needsEarlierMap }

    /// Always zero: every packet header must be read.
    var skippableByteCount: UInt64 { 0 }

    mutating func skip(_ count: UInt64) {
        precondition(count == 0, "more skipped than skippable")
    }

    mutating func feed(_ chunk: Span<UInt8>) {
        selector.addToByteCount(chunk.count)
        var position = 0
        while !pending.isEmpty, position < chunk.count {
            let earlier = pending.count
            // Completing a packet takes few bytes. A search adds at least as many bytes as are pending, so that it does
            // not scan the same bytes repeatedly.
            let step = phase == .locked ? stride : max(1024, earlier)
            let next = min(chunk.count, position + step)
            pending.append(chunk.extracting(position..<next))
            var bytes: [UInt8] = []
            swap(&bytes, &pending)
            let used = read(bytes.span, isEnd: false)
            if used >= earlier {
                position += used - earlier
                bytes.removeAll(keepingCapacity: true)
            } else {
                bytes.removeFirst(used)
                position = next
            }
            pending = bytes
        }
        // From here on, only a packet that is cut off at the end of the chunk is copied.
        guard position < chunk.count else { return }
        let rest = chunk.extracting(position..<chunk.count)
        let used = read(rest, isEnd: false)
        pending.append(rest.extracting(used..<rest.count))
    }

    mutating func drainPassed() -> FilteredPackets { selector.drainPassed() }

    /// The duration of the media in the segment so far, in seconds.
    var mediaSeconds: Double { selector.mediaSeconds }

    /// Ends the segment after its last complete packet and begins the next one there.
    ///
    /// Returns nil, and changes nothing, while packets are out of sync or no complete map identifies them.
    mutating func split() -> FilteredPackets? {
        guard phase == .locked, syncLossOffset == nil, selector.isMapped else { return nil }
        var passed = selector.finish(stride: stride)
        selector = PacketSelector(map: passed.mapAtEnd, limits: limits)
        // The bytes of an incomplete packet belong to the next segment.
        passed.facts.byteCount -= UInt64(pending.count)
        selector.addToByteCount(pending.count)
        offset = 0
        return passed
    }

    mutating func finish() -> FilteredPackets {
        var bytes: [UInt8] = []
        swap(&bytes, &pending)
        let used = read(bytes.span, isEnd: true)
        let end = offset + bytes.count - used
        let endsWithinPacket = syncLossOffset == nil && used < bytes.count
        if let syncLossOffset {
            selector.reportMalformed(syncLossOffset..<end, rule: .syncLost)
        } else if endsWithinPacket {
            selector.reportMalformed(offset..<end, rule: .packetTruncated)
        }
        return selector.finish(stride: stride, endsWithinPacket: endsWithinPacket)
    }

    /// Reads as many bytes as can be decided, and returns their number.
    private mutating func read(_ bytes: Span<UInt8>, isEnd: Bool) -> Int {
        var position = 0
        while position < bytes.count {
            let before = (position, phase)
            switch phase {
            case .front: readFront(bytes, &position, isEnd: isEnd)
            case .searching: search(bytes, &position, isEnd: isEnd)
            case .locked: readPackets(bytes, &position, isEnd: isEnd)
            }
            if before == (position, phase) { break }
        }
        offset += position
        return position
    }

    private mutating func readFront(_ bytes: Span<UInt8>, _ position: inout Int, isEnd: Bool) {
        let limit = limits.maximumFrontByteCount
        switch SegmentFront.measure(bytes.extracting(position..<bytes.count), isEnd: isEnd, limit: limit) {
        case .undecided: return
        case .decided(let front, let searchFrom):
            selector.setFront(front)
            position += searchFrom
            phase = .searching
        }
    }

    private mutating func search(_ bytes: Span<UInt8>, _ position: inout Int, isEnd: Bool) {
        let start = position
        switch PacketSync.search(bytes, from: start, isEnd: isEnd, preferring: stride) {
        case .undecided(let from):
            if syncLossOffset == nil, from > start { syncLossOffset = offset + start }
            position = from
        case .found(let sync):
            stride = sync.stride
            position = sync.offset
            phase = .locked
            // The time code before the first packet of the 192-byte form is valid data.
            let first = syncLossOffset ?? offset + start
            let isTimeCode = stride == 192 && offset + position - first == PacketSync.timeCodeByteCount
            if first < offset + position, !isTimeCode {
                selector.reportMalformed(first..<offset + position, rule: .syncLost)
            }
            syncLossOffset = nil
        }
    }

    /// Reads packets until the bytes end or a sync byte is missing.
    private mutating func readPackets(_ bytes: Span<UInt8>, _ position: inout Int, isEnd: Bool) {
        // At the end of the segment, the last packet of the 204-byte form may lack its parity bytes.
        let needed = isEnd ? TransportPacket.byteCount : stride
        while bytes.count - position >= needed {
            position = selector.pidFilter.firstMatch(bytes, from: position, stride: stride, needed: needed)
            guard bytes.count - position >= needed else { return }
            guard bytes[position] == TransportPacket.syncByte else {
                phase = .searching
                return
            }
            selector.add(bytes, at: position, segmentOffset: offset + position)
            position = min(position + stride, bytes.count)
        }
    }
}
