internal import ID3v2

/// Finds the ID3 tags in the PES packets of one PID, and assembles tags that span several packets.
///
/// A PES packet usually holds one tag. However, a tag may share its packet with others, continue in the next PES packet
/// or segment, or lack bytes. The search therefore covers the continuous payload, and PES packet boundaries only decide
/// when an open tag has to end.
struct TagAssembler: Sendable {
    private let pid: UInt16
    private let maximumTagByteCount: Int
    /// Whether the PMT declares the stream as timed ID3; nil while no PMT is known.
    var isDeclared: Bool?
    private var open: OpenTag?
    /// The number of bytes still to skip from a tag that exceeds the limit.
    private var skipCount = 0
    /// The last counted PES packet without a PTS, so that each packet is counted once even if it has several tags.
    private var countedStart: PacketReference?

    /// An incomplete tag.
    private struct OpenTag {
        let first: PacketReference
        let time: MediaTimestamp?
        let streamID: UInt8
        let beginsPES: Bool
        var bytes: [UInt8] = []
        var packetCount = 0
        var lastPacket: Int?
        /// The length of the tag from its header, in bytes, or nil while the header is incomplete.
        var declaredByteCount: Int?

        /// The number of bytes received in earlier fragments.
        private(set) var earlierByteCount = 0

        mutating func beginFragment() { earlierByteCount = bytes.count }

        /// The number of bytes needed for the next decision.
        var target: Int {
            let next =
                [TagExtent.headerByteCount, TagExtent.decisionByteCount, TagExtent.confirmationByteCount]
                .first { $0 > bytes.count }
            return min(next ?? .max, declaredByteCount ?? .max)
        }
    }

    init(pid: UInt16, maximumTagByteCount: Int) {
        self.pid = pid
        self.maximumTagByteCount = max(maximumTagByteCount, TagExtent.confirmationByteCount)
    }

    /// Whether a tag is incomplete.
    var isOpen: Bool { open != nil || skipCount > 0 }

    /// The number of bytes received of the incomplete tag.
    var openByteCount: Int { open?.bytes.count ?? 0 }

    /// Adds the next bytes of a PES packet whose PTS is `time`.
    mutating func add(_ fragment: PESFragment, time: MediaTimestamp?, into output: inout TagOutput) {
        var position = 0
        let bytes = fragment.bytes.span
        if isOpen {
            // A PES packet that begins with a tag does not continue the open tag, which has therefore lost its end.
            let isNewTag: Bool =
                if case .tag = TagExtent.measure(bytes, 0..<bytes.count) { fragment.beginsPacket } else {
                    false
                }
            if fragment.followsDiscontinuity || isNewTag {
                close(into: &output)
            }
        } else if fragment.isBeyondLength {
            // Bytes after the end of a PES packet are padding, unless a tag is incomplete.
            return
        }
        open?.beginFragment()
        let skipped = min(skipCount, bytes.count)
        skipCount -= skipped
        position += skipped
        while position < bytes.count {
            if open != nil {
                continueTag(fragment, &position, into: &output)
            } else {
                findTag(fragment, &position, time: time, into: &output)
            }
        }
    }

    /// Emits the open tag as a truncated one.
    mutating func close(into output: inout TagOutput) {
        skipCount = 0
        guard let tag = open.take() else { return }
        // A tag needs at least three bytes and, once its header is complete, a valid size.
        let hasSize = tag.declaredByteCount != nil || tag.bytes.count < TagExtent.headerByteCount
        guard tag.bytes.count >= 3, hasSize else {
            output.malformed.append(.init(packet: tag.first, length: tag.bytes.count, rule: .tagExpected))
            return
        }
        output.truncatedCount += 1
        let expected = tag.declaredByteCount ?? TagExtent.headerByteCount
        emit(tag, completeness: .truncated(expected: expected), fillsPackets: false, into: &output)
    }

    /// Skips bytes outside tags, and opens the next tag.
    private mutating func findTag(
        _ fragment: PESFragment, _ position: inout Int, time: MediaTimestamp?, into output: inout TagOutput
    ) {
        let bytes = fragment.bytes.span
        let start = position
        var isPadding = true
        while position < bytes.count, TagExtent.measure(bytes, position..<bytes.count) == .none {
            isPadding = isPadding && (bytes[position] == 0xFF || bytes[position] == 0x00)
            position += 1
        }
        if !isPadding, let packet = fragment.packet(at: start) {
            output.malformed.append(
                .init(
                    packet: packet, length: position - start, rule: .tagExpected,
                    headlessOwner: Self.headlessOwner(in: bytes.extracting(start..<position))))
        }
        guard position < bytes.count, let first = fragment.packet(at: position) else { return }
        open = OpenTag(
            first: first, time: time, streamID: fragment.header.streamID,
            beginsPES: position == 0 && fragment.beginsPacket)
        if time == nil, countedStart != fragment.start {
            countedStart = fragment.start
            output.missingPTSCount += 1
        }
    }

    private mutating func continueTag(
        _ fragment: PESFragment, _ position: inout Int, into output: inout TagOutput
    ) {
        guard var tag = open.take() else { return }
        let target = min(tag.target, maximumTagByteCount)
        let count = min(target - tag.bytes.count, fragment.bytes.count - position)
        let range = position..<position + count
        for piece in fragment.packetNumbers(in: range) where piece != tag.lastPacket {
            tag.packetCount += 1
            tag.lastPacket = piece
        }
        tag.bytes += fragment.bytes[range]
        position += count
        if tag.bytes.count == target {
            // Some writers use a size that is not sync-safe; the bytes after the header resolve the ambiguity.
            switch TagExtent.measure(tag.bytes.span, 0..<tag.bytes.count) {
            case .tag(let byteCount): tag.declaredByteCount = byteCount
            case .beginning: break
            case .none:
                // Not a tag after all: scan the bytes of this fragment separately.
                let earlier = tag.earlierByteCount
                position -= tag.bytes.count - earlier
                if earlier == 0 { position += 1 }
                output.malformed.append(
                    .init(packet: tag.first, length: max(earlier, 1), rule: .tagExpected))
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
            position -= min(excess, tag.bytes.count + excess - tag.earlierByteCount)
            let fills = tag.beginsPES && fragment.endsPacket && position == fragment.bytes.count
            emit(tag, completeness: .complete, fillsPackets: fills, into: &output)
        } else if tag.bytes.count >= maximumTagByteCount {
            output.malformed.append(.init(packet: tag.first, length: declared, rule: .tagTooLong))
            emit(tag, completeness: .truncated(expected: declared), fillsPackets: false, into: &output)
            skipCount = declared - maximumTagByteCount
            let skipped = min(skipCount, fragment.bytes.count - position)
            skipCount -= skipped
            position += skipped
        } else {
            open = tag
        }
    }

    private func emit(
        _ tag: OpenTag, completeness: TimedMetadata.Completeness, fillsPackets: Bool,
        into output: inout TagOutput
    ) {
        output.tags.append(
            TimedMetadata(
                bytes: tag.bytes, time: tag.time, carriage: .transportStream(pid: pid),
                segmentIndex: tag.first.segmentIndex, offset: tag.first.offset, completeness: completeness,
                transport: TimedMetadata.TransportFacts(
                    packetCount: tag.packetCount, fillsPackets: fillsPackets, streamID: tag.streamID,
                    isDeclared: isDeclared,
                    precedingMediaTime: tag.first.precedingMediaTime.map { MediaTimestamp(pts: $0) })))
    }
}

/// The output of a tag assembler.
struct TagOutput: Sendable {
    var tags: [TimedMetadata] = []
    var malformed: [Malformed] = []
    var truncatedCount = 0
    var missingPTSCount = 0

    struct Malformed: Sendable {
        let packet: PacketReference
        let length: Int
        let rule: MalformedRule
        var headlessOwner: [UInt8]?
    }
}

extension TagAssembler {
    /// The remaining 15 of the 20 bytes before the owner identifier.
    private static let headlessHeader: [UInt8] = [
        0x20, 0, 0, 0x02, 0x05, 0x50, 0x52, 0x49, 0x56, 0, 0, 0x01, 0x7B, 0, 0,
    ]
    private static let maximumOwnerLength = 249

    /// Returns the owner identifier of a Nielsen tag without its first five bytes, `ID3` and the version, or nil for
    /// other bytes.
    ///
    /// FFmpeg 5.1 drops these bytes when it remultiplexes timed ID3, because it mistakes them for the header of a
    /// metadata access unit. The identifier may be truncated.
    private static func headlessOwner(in bytes: Span<UInt8>) -> [UInt8]? {
        guard bytes.count > headlessHeader.count else { return nil }
        for index in headlessHeader.indices where bytes[index] != headlessHeader[index] { return nil }
        var owner: [UInt8] = []
        for index in headlessHeader.count..<min(bytes.count, headlessHeader.count + maximumOwnerLength) {
            guard bytes[index] > 0x20, bytes[index] < 0x7F else { break }
            owner.append(bytes[index])
        }
        return owner
    }
}
