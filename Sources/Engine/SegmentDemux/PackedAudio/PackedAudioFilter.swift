import ByteReading
internal import ID3v2

/// Finds the ID3 tags in one segment of packed audio, at its front and between frames.
///
/// Frames are skipped by the lengths in their headers. Bytes outside frames and tags are skipped one at a time. The
/// first frame after such bytes, or a frame unlike the previous one, counts only if another frame, a tag or the end of
/// the segment follows it, because a two-byte sync word occurs in any data.
struct PackedAudioFilter: ContainerFilter {
    private let limits: DemuxLimits
    private var facts = CarriageFacts()
    private var found: [FoundTag] = []
    private var tagByteCount = 0
    private var clock = PackedAudioClock()
    private var format: CarriageFacts.AudioFormat?
    private var latest: MediaTimestamp?
    private var lastFrame: AudioFrameHeader?
    private var garbage: Range<UInt64>?

    /// Whether a frame or tag has just ended, so that the next one is expected at this position.
    private var isInStep = true
    /// The number of upcoming bytes that belong to a frame, or to a tag that is too long.
    private var skipCount: UInt64 = 0
    /// Undecided bytes from `pendingStart` on, and the number of bytes needed to decide.
    private var pending: [UInt8] = []
    private var pendingStart = 0
    private var neededCount = 0
    /// The offset of the next byte to decide in the segment.
    private var offset: UInt64 = 0

    private struct FoundTag: Sendable {
        let bytes: [UInt8]
        let offset: UInt64
        let completeness: TimedMetadata.Completeness
        let elapsedTicks: Int64
        let time: MediaTimestamp?
    }

    init(limits: DemuxLimits = DemuxLimits()) { self.limits = limits }

    static func content(_ passed: FilteredAudio) -> FilteredSegment.Content { .packedAudio(passed) }

    mutating func feed(_ chunk: Span<UInt8>) {
        var position = 0
        while position < chunk.count {
            if pending.count > pendingStart {
                let count = min(neededCount - (pending.count - pendingStart), chunk.count - position)
                pending.append(contentsOf: chunk.copy(position..<position + max(0, count)))
                position += max(0, count)
                guard pending.count - pendingStart >= neededCount else { return }
                scanPending(isEnd: false)
            } else if skipCount > 0 {
                let count = Int(min(skipCount, UInt64(chunk.count - position)))
                position += count
                advance(UInt64(count))
            } else {
                position += scan(chunk.extracting(position..<chunk.count), isEnd: false)
                if skipCount == 0, position < chunk.count {
                    pending = chunk.copy(position..<chunk.count)
                    pendingStart = 0
                    position = chunk.count
                }
            }
        }
    }

    /// The number of upcoming bytes that belong to a frame whose header was read.
    var skippableByteCount: UInt64 { pending.count > pendingStart ? 0 : skipCount }

    mutating func skip(_ count: UInt64) {
        precondition(count <= skippableByteCount, "more skipped than skippable")
        advance(count)
    }

    /// Returns no tags: a later first timestamp also determines the time of the tags before it.
    mutating func drainPassed() -> FilteredAudio { FilteredAudio() }

    var passedByteCount: Int { 0 }

    var pendingByteCount: Int {
        pending.count - pendingStart + tagByteCount + found.count * DemuxLimits.tagOverheadByteCount
    }

    /// Always false: no other segment provides a missing time.
    var needsEarlierSegments: Bool { false }

    mutating func finish() -> FilteredAudio {
        while pending.count > pendingStart { scanPending(isEnd: true) }
        if skipCount > 0 { facts.isTruncated = true }
        closeGarbage()
        facts.byteCount = offset
        facts.container = .packedAudio(format ?? .unknown)
        facts.earliestMediaTime = clock.earlierTime(atElapsed: 0)
        facts.latestMediaTime = latest
        facts.hasAudio = latest == nil ? nil : true
        let tags = found.map { tag in
            FilteredAudio.Tag(
                bytes: tag.bytes, time: tag.time ?? clock.earlierTime(atElapsed: tag.elapsedTicks),
                offset: Int(clamping: tag.offset), completeness: tag.completeness)
        }
        return FilteredAudio(tags: tags, facts: facts)
    }

    private mutating func advance(_ count: UInt64) {
        skipCount -= count
        offset += count
    }

    private mutating func scanPending(isEnd: Bool) {
        let bytes = pending
        pendingStart += scan(bytes.span.extracting(pendingStart..<bytes.count), isEnd: isEnd)
        if skipCount > 0 {
            let count = min(skipCount, UInt64(pending.count - pendingStart))
            pendingStart += Int(count)
            advance(count)
        }
        if pendingStart == pending.count {
            pending.removeAll(keepingCapacity: true)
            pendingStart = 0
        } else if pendingStart > 1 << 16, pendingStart > pending.count / 2 {
            pending.removeFirst(pendingStart)
            pendingStart = 0
        }
    }
}

// MARK: - Frames and tags

extension PackedAudioFilter {
    private enum Decision {
        /// This many bytes are decided.
        case done(Int)
        /// A frame or tag of this length, which may extend beyond the available bytes.
        case stepOver(UInt64)
        /// This many bytes are needed to decide.
        case undecided(Int)
    }

    /// Scans the bytes that can be decided, and returns their number.
    ///
    /// Scanning stops at a frame that extends beyond the bytes; `skipCount` is then the number of missing bytes.
    private mutating func scan(_ bytes: Span<UInt8>, isEnd: Bool) -> Int {
        var position = 0
        while position < bytes.count {
            let rest = bytes.extracting(position..<bytes.count)
            switch decide(rest, isEnd: isEnd) {
            case .done(let count):
                position += count
                offset += UInt64(count)
            case .stepOver(let count):
                let present = min(count, UInt64(rest.count))
                position += Int(present)
                offset += present
                skipCount = count - present
                if skipCount > 0 { return position }
            case .undecided(let count):
                neededCount = count
                return position
            }
        }
        return position
    }

    private mutating func decide(_ bytes: Span<UInt8>, isEnd: Bool) -> Decision {
        if isBeginning(bytes, isEnd: isEnd) { facts.isTruncated = true }
        switch bytes[0] {
        case 0x49:
            let needed = TagExtent.decisionByteCount
            if bytes.count < needed, !isEnd, isBeginningOfTag(bytes) { return .undecided(needed) }
            if bytes.hasASCII("ID3", at: 0) { return decideTag(bytes, isEnd: isEnd) }
        case 0xFF, 0x0B:
            if bytes.count < AudioFrameHeader.decisionByteCount, !isEnd {
                return .undecided(AudioFrameHeader.decisionByteCount)
            }
            if let frame = AudioFrameHeader(bytes, at: 0) { return decideFrame(frame, bytes, isEnd: isEnd) }
        default: break
        }
        return .done(skipGarbage(bytes))
    }

    /// Returns whether a tag or frame whose header is incomplete begins at the end of the segment, at the position at
    /// which one is expected.
    private func isBeginning(_ bytes: Span<UInt8>, isEnd: Bool) -> Bool {
        guard isEnd, isInStep, lastFrame != nil || !found.isEmpty else { return false }
        switch bytes[0] {
        case 0x49: return bytes.count < TagExtent.headerByteCount && isBeginningOfTag(bytes)
        case 0xFF:
            return bytes.count < AudioFrameHeader.decisionByteCount && (bytes.count < 2 || bytes[1] >= 0xE0)
        case 0x0B:
            return bytes.count < AudioFrameHeader.decisionByteCount && (bytes.count < 2 || bytes[1] == 0x77)
        default: return false
        }
    }

    private func isBeginningOfTag(_ bytes: Span<UInt8>) -> Bool {
        (bytes.count < 2 || bytes[1] == 0x44) && (bytes.count < 3 || bytes[2] == 0x33)
    }

    private mutating func decideFrame(
        _ frame: AudioFrameHeader, _ bytes: Span<UInt8>, isEnd: Bool
    ) -> Decision {
        let isExpected = isInStep && lastFrame.map { $0.isAlike(frame) } ?? true
        if !isExpected {
            let needed = frame.byteCount + AudioFrameHeader.decisionByteCount
            if bytes.count < needed, !isEnd { return .undecided(needed) }
            let isFollowed =
                bytes.count == frame.byteCount || bytes.hasASCII("ID3", at: frame.byteCount)
                || bytes.count > frame.byteCount
                    && AudioFrameHeader(bytes, at: frame.byteCount)?.isAlike(frame) == true
            guard isFollowed else { return .done(skipGarbage(bytes)) }
        }
        closeGarbage()
        isInStep = true
        format = frame.format
        lastFrame = frame
        if let now = clock.now { latest = now }
        clock.add(frame)
        return .stepOver(UInt64(frame.byteCount))
    }

    private mutating func decideTag(_ bytes: Span<UInt8>, isEnd: Bool) -> Decision {
        let window = bytes.extracting(0..<min(bytes.count, TagExtent.decisionByteCount))
        let header: ID3Header
        do throws(ID3Error) {
            header = try ID3Header(window)
        } catch {
            return reportTag(error, bytes)
        }
        // Some writers use a size that is not sync-safe, and only the frames resolve the ambiguity. Wait for the larger
        // size, up to the limit for one tag.
        let plainLength = ID3Header.length * 2 + Int(bytes.bigEndianUInt32(at: 6))
        let length = header.tagLength + ID3Header.length
        let wanted = min(max(length, plainLength), max(length, limits.maximumTagByteCount))
        let needed = min(wanted, limits.maximumTagByteCount)
        if bytes.count < needed, !isEnd { return .undecided(needed) }
        return addTag(bytes.extracting(0..<min(bytes.count, needed)), isEnd: isEnd && bytes.count <= needed)
    }

    private mutating func addTag(_ bytes: Span<UInt8>, isEnd: Bool) -> Decision {
        let expected: Int
        let length: Int
        do throws(ID3Error) {
            let tag = try ID3Tag(bytes)
            expected = tag.header.tagLength
            length = tag.bytes.count
        } catch {
            return reportTag(error, bytes)
        }
        closeGarbage()
        isInStep = true
        if isEnd, length < expected {
            facts.isTruncated = true
            return addRest(bytes)
        }
        add(bytes, 0..<length, expected: expected)
        return .stepOver(UInt64(expected))
    }

    /// Adds a tag truncated by the end of the segment.
    ///
    /// Its size may be wrong and cover other tags, so the search includes the bytes inside it.
    private mutating func addRest(_ bytes: Span<UInt8>) -> Decision {
        var search = ID3TagSearch(bytes)
        while let finding = search.next() {
            switch finding {
            case .tag(let tag): add(bytes, tag.range, expected: tag.header.tagLength)
            case .malformed(let error, let range):
                facts.malformed.append(
                    .init(
                        offset: Int(clamping: offset + UInt64(range.lowerBound)), length: range.count,
                        rule: error.rule))
            }
        }
        return .done(bytes.count)
    }

    private mutating func reportTag(_ error: ID3Error, _ bytes: Span<UInt8>) -> Decision {
        facts.malformed.append(
            .init(
                offset: Int(clamping: offset + UInt64(max(0, error.offset))),
                length: min(bytes.count, ID3Header.length), rule: error.rule))
        return .done(skipGarbage(bytes))
    }

    private mutating func add(_ bytes: Span<UInt8>, _ range: Range<Int>, expected: Int) {
        let start = offset + UInt64(range.lowerBound)
        guard tagByteCount + range.count <= limits.maximumSegmentTagByteCount else {
            facts.malformed.append(
                .init(offset: Int(clamping: start), length: range.count, rule: .tagsTooLong))
            return
        }
        tagByteCount += range.count
        let tag = bytes.extracting(range)
        if let pts = TransportStreamTimestamp.read(tag: tag) { clock.set(pts: pts) }
        if format == nil { format = .unknown }
        found.append(
            FoundTag(
                bytes: tag.copy(), offset: start,
                completeness: range.count == expected ? .complete : .truncated(expected: expected),
                elapsedTicks: clock.elapsedTicks, time: clock.now))
    }

    // MARK: Garbage

    /// Skips the first byte and the following bytes that cannot begin a frame or a tag.
    private mutating func skipGarbage(_ bytes: Span<UInt8>) -> Int {
        isInStep = false
        var count = 1
        while count < bytes.count, bytes[count] != 0xFF, bytes[count] != 0x0B, bytes[count] != 0x49 {
            count += 1
        }
        garbage = (garbage?.lowerBound ?? offset)..<offset + UInt64(count)
        return count
    }

    private mutating func closeGarbage() {
        guard let garbage else { return }
        facts.malformed.append(
            .init(
                offset: Int(clamping: garbage.lowerBound), length: garbage.count,
                rule: .noAudioFrame))
        self.garbage = nil
    }
}

/// The complete filter output for one segment of packed audio, in which nothing continues across segments.
struct FilteredAudio: Sendable {
    /// The tags, in byte order.
    var tags: [Tag] = []
    var facts = CarriageFacts()

    struct Tag: Sendable {
        let bytes: [UInt8]
        let time: MediaTimestamp?
        let offset: Int
        let completeness: TimedMetadata.Completeness
    }
}
