internal import TimedMedia

/// Finds the ID3 tags in the PES packets of one PID, and puts together those that run over several.
struct TagAssembler: Sendable {
    private let pid: UInt16
    private let maximumTagByteCount: Int
    private var open: OpenTag?
    /// What is still to come of a tag that is longer than the limit.
    private var skipCount = 0
    /// The PES packet in which a tag without a time was last counted.
    private var countedStart: PacketReference?

    /// A tag that began and did not end yet.
    private struct OpenTag {
        let first: PacketReference
        let time: MediaTimestamp?
        let streamID: UInt8
        let beginsPES: Bool
        var bytes: [UInt8] = []
        var packetCount = 0
        var lastPacket: Int?
        /// What the tag's header announces; nil while the header is incomplete.
        var declaredByteCount: Int?

        /// How many bytes are wanted before the next decision.
        var target: Int {
            declaredByteCount
                ?? (bytes.count < TagExtent.headerByteCount
                    ? TagExtent.headerByteCount : TagExtent.decisionByteCount)
        }
    }

    init(pid: UInt16, maximumTagByteCount: Int) {
        self.pid = pid
        self.maximumTagByteCount = max(maximumTagByteCount, TagExtent.decisionByteCount)
    }

    /// Whether a tag began and did not end yet.
    var isOpen: Bool { open != nil || skipCount > 0 }

    /// How many bytes are kept of a tag that did not end yet.
    var openByteCount: Int { open?.bytes.count ?? 0 }

    /// Takes the next bytes of a PES packet whose PTS is `time`.
    mutating func add(_ part: PESPart, time: MediaTimestamp?, into yield: inout TagYield) {
        var position = 0
        let bytes = part.bytes.span
        if isOpen {
            let isNewTag: Bool =
                if case .tag = TagExtent.measure(bytes, 0..<bytes.count) { part.beginsPacket } else { false }
            if part.followsLoss || isNewTag {
                close(into: &yield)
            }
        } else if part.isBeyondLength {
            // Behind the end of a PES packet stands padding, unless a tag needs it.
            return
        }
        let skipped = min(skipCount, bytes.count)
        skipCount -= skipped
        position += skipped
        while position < bytes.count {
            if open != nil {
                continueTag(part, &position, into: &yield)
            } else {
                findTag(part, &position, time: time, into: &yield)
            }
        }
    }

    /// Gives the tag that is open as a partial one: nothing will continue it.
    mutating func close(into yield: inout TagYield) {
        skipCount = 0
        guard let tag = open.take() else { return }
        // One or two letters are too little to call a tag, and so is a header whose size is none.
        let hasSize = tag.declaredByteCount != nil || tag.bytes.count < TagExtent.headerByteCount
        guard tag.bytes.count >= 3, hasSize else {
            yield.malformed.append(.init(packet: tag.first, length: tag.bytes.count, rule: "id3.expected"))
            return
        }
        yield.incompleteCount += 1
        let expected = tag.declaredByteCount ?? TagExtent.headerByteCount
        emit(tag, completeness: .partial(expected: expected), fillsPackets: false, into: &yield)
    }

    /// Passes over what is no tag, and opens the next one.
    private mutating func findTag(
        _ part: PESPart, _ position: inout Int, time: MediaTimestamp?, into yield: inout TagYield
    ) {
        let bytes = part.bytes.span
        let start = position
        var isPadding = true
        while position < bytes.count, TagExtent.measure(bytes, position..<bytes.count) == .none {
            isPadding = isPadding && (bytes[position] == 0xFF || bytes[position] == 0x00)
            position += 1
        }
        if !isPadding, let packet = part.packet(at: start) {
            yield.malformed.append(
                .init(
                    packet: packet, length: position - start, rule: "id3.expected",
                    headlessOwner: HeadlessTag.owner(in: bytes.extracting(start..<position))))
        }
        guard position < bytes.count, let first = part.packet(at: position) else { return }
        open = OpenTag(
            first: first, time: time, streamID: part.header.streamID,
            beginsPES: position == 0 && part.beginsPacket)
        if time == nil, countedStart != part.start {
            countedStart = part.start
            yield.missingPTSCount += 1
        }
    }

    private mutating func continueTag(
        _ part: PESPart, _ position: inout Int, into yield: inout TagYield
    ) {
        guard var tag = open.take() else { return }
        let target = min(tag.target, maximumTagByteCount)
        let count = min(target - tag.bytes.count, part.bytes.count - position)
        let range = position..<position + count
        for piece in part.packetNumbers(in: range) where piece != tag.lastPacket {
            tag.packetCount += 1
            tag.lastPacket = piece
        }
        tag.bytes += part.bytes[range]
        position += count
        if tag.bytes.count == tag.target || tag.declaredByteCount == nil {
            // The bytes that came since decide where the size that the header states is ambiguous.
            switch TagExtent.measure(tag.bytes.span, 0..<tag.bytes.count) {
            case .tag(let byteCount): tag.declaredByteCount = byteCount
            case .beginning: break
            case .none:
                // What looked like the beginning of a tag is none: look at this part's bytes by themselves.
                position -= count
                let earlier = tag.bytes.count - count
                if earlier == 0 { position += 1 }
                yield.malformed.append(
                    .init(packet: tag.first, length: max(earlier, 1), rule: "id3.expected"))
                return
            }
        }
        guard let declared = tag.declaredByteCount else {
            open = tag
            return
        }
        if tag.bytes.count >= declared {
            let excess = tag.bytes.count - declared
            tag.bytes.removeLast(excess)
            position -= min(excess, count)
            let fills = tag.beginsPES && part.endsPacket && position == part.bytes.count
            emit(tag, completeness: .whole, fillsPackets: fills, into: &yield)
        } else if tag.bytes.count >= maximumTagByteCount {
            yield.malformed.append(.init(packet: tag.first, length: declared, rule: "id3.too-long"))
            emit(tag, completeness: .partial(expected: declared), fillsPackets: false, into: &yield)
            skipCount = declared - maximumTagByteCount
            let skipped = min(skipCount, part.bytes.count - position)
            skipCount -= skipped
            position += skipped
        } else {
            open = tag
        }
    }

    private func emit(
        _ tag: OpenTag, completeness: TimedMetadata.Completeness, fillsPackets: Bool,
        into yield: inout TagYield
    ) {
        yield.tags.append(
            TimedMetadata(
                bytes: tag.bytes, time: tag.time, carriage: .transportStream(pid: pid),
                segmentIndex: tag.first.segmentIndex, offset: tag.first.offset, completeness: completeness,
                transport: TimedMetadata.TransportFacts(
                    packetCount: tag.packetCount, fillsPackets: fillsPackets, streamID: tag.streamID,
                    precedingMediaTime: tag.first.precedingMediaTime.map { MediaTimestamp(pts: $0) })))
    }
}

/// What tag assemblers found in some bytes.
struct TagYield: Sendable {
    var tags: [TimedMetadata] = []
    var malformed: [Malformed] = []
    var incompleteCount = 0
    var missingPTSCount = 0

    struct Malformed: Sendable {
        let packet: PacketReference
        let length: Int
        let rule: String
        var headlessOwner: [UInt8]?
    }
}
