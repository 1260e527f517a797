internal import TimedMedia

/// Lets through, of one segment of a transport stream, the packets in which timed ID3 can be.
///
/// It is pure: what comes out depends on the segment's bytes and on the program map it begins with, and not on
/// how the bytes were cut into chunks. Nearly all packets are passed over after a look at four bytes.
struct TransportStreamFilter: ContainerFilter {
    private enum Phase {
        /// At the segment's start, where tags may stand before the packets.
        case front
        /// Looking for sync bytes.
        case searching
        /// At a sync byte.
        case locked
    }

    private var phase = Phase.front
    private var stride = TransportPacket.byteCount
    /// Bytes that were taken in and not yet read, and where the first of them lies in the segment.
    private var pending: [UInt8] = []
    private var offset = 0
    /// Where the bytes that no packet was found in begin; nil while packets follow each other.
    private var lossOffset: Int?
    private var routing: PacketSelector
    private let limits: DemuxLimits

    /// A filter for one segment that begins with what an earlier one said about the PIDs.
    init(map: ProgramMap = ProgramMap(), limits: DemuxLimits = DemuxLimits()) {
        self.limits = limits
        routing = PacketSelector(map: map, limits: limits)
    }

    var passedByteCount: Int { routing.output.packets.count + routing.output.front.bytes.count }

    var pendingByteCount: Int { pending.count + routing.unmappedByteCount }

    /// Whether packets came before the segment's own tables, or they did not come at all.
    var needsEarlierSegments: Bool { routing.output.neededEarlierMap }

    /// None: every packet of a transport stream has to be looked at.
    var skippableByteCount: UInt64 { 0 }

    mutating func skip(_ count: UInt64) {
        precondition(count == 0, "more skipped than skippable")
    }

    static func content(_ passed: FilteredPackets) -> FilteredSegment.Content { .transportStream(passed) }

    /// Takes bytes of the segment, in chunks of any size.
    mutating func feed(_ chunk: Span<UInt8>) {
        routing.output.facts.byteCount += UInt64(chunk.count)
        var position = 0
        while !pending.isEmpty, position < chunk.count {
            let earlier = pending.count
            // Few bytes end a packet; a search takes more, so that it does not look at the same ones too often.
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
        guard position < chunk.count else { return }
        let rest = chunk.extracting(position..<chunk.count)
        let used = read(rest, isEnd: false)
        pending.append(rest.extracting(used..<rest.count))
    }

    mutating func takePassed() -> FilteredPackets { routing.takePassed() }

    /// Ends the segment: what was let through and not taken, and the program map for the next one.
    mutating func finish() -> FilteredPackets {
        var bytes: [UInt8] = []
        swap(&bytes, &pending)
        let used = read(bytes.span, isEnd: true)
        let end = offset + bytes.count - used
        if let lossOffset {
            routing.reportMalformed(lossOffset..<end, rule: "transport.sync-lost")
        } else if used < bytes.count {
            routing.reportMalformed(offset..<end, rule: "transport.packet-cut")
        }
        return routing.finish(stride: stride)
    }

    /// Reads as much as can be judged, and tells how many bytes that was.
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
            routing.output.front = front
            position += searchFrom
            phase = .searching
        }
    }

    private mutating func search(_ bytes: Span<UInt8>, _ position: inout Int, isEnd: Bool) {
        let start = position
        switch PacketSync.search(bytes, from: start, isEnd: isEnd, preferring: stride) {
        case .undecided(let from):
            if lossOffset == nil, from > start { lossOffset = offset + start }
            position = from
        case .found(let sync):
            stride = sync.stride
            position = sync.offset
            phase = .locked
            // The time code before the first packet of the 192-byte form is no garbage.
            let first = lossOffset ?? offset + start
            let isTimeCode = stride == 192 && offset + position - first == PacketSync.timeCodeByteCount
            if first < offset + position, !isTimeCode {
                routing.reportMalformed(first..<offset + position, rule: "transport.sync-lost")
            }
            lossOffset = nil
        }
    }

    /// Reads packet after packet until the bytes or the sync bytes end.
    private mutating func readPackets(_ bytes: Span<UInt8>, _ position: inout Int, isEnd: Bool) {
        let needed = isEnd ? TransportPacket.byteCount : stride
        while bytes.count - position >= needed {
            let interesting = routing.interest.firstMatch(
                bytes, from: position, stride: stride, needed: needed)
            position = interesting
            guard bytes.count - position >= needed else { return }
            guard bytes[position] == TransportPacket.syncByte else {
                phase = .searching
                return
            }
            routing.route(bytes, at: position, segmentOffset: offset + position)
            position = min(position + stride, bytes.count)
        }
    }
}
