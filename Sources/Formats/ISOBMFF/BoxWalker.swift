import ByteReading

/// An iterator over the boxes of a file that arrives in chunks of any size.
///
/// The walker stops at each box. It skips the box unless the caller enters it (`descend`) or requests its payload
/// (`hold`), so media data is never buffered:
///
///     while let step = try walker.next(in: chunk, at: &position) {
///         switch step {
///         case .box(let box) where box.header.type == .movieFragment: walker.descend()
///         case .box(let box) where box.header.type == .eventMessage: walker.hold()
///         case .box: break
///         case .payload(let box): read(walker.payload, of: box)
///         case .end(let box): close(box)
///         }
///     }
///
/// `next` throws for an invalid box and has then already skipped it, so the caller can continue to call it. After an
/// impossible size, the walker searches for the next bytes that look like a known top-level box.
package struct BoxWalker: Sendable {
    /// The limits on depth, number of boxes and buffered bytes.
    package struct Limits: Sendable, Hashable {
        /// The maximum nesting depth of boxes.
        package var maximumDepth = 16
        /// The maximum number of boxes.
        package var maximumBoxCount = 1 << 24
        /// The maximum number of bytes buffered for one payload.
        package var maximumPayloadByteCount = 1 << 20

        /// Creates the default limits.
        package init() {}
    }

    /// A box and its position.
    package struct Box: Sendable, Hashable {
        /// The size and type of the box.
        package let header: BoxHeader
        /// The offset of the box's header, in bytes from the start of the file.
        package let offset: UInt64
        /// The type of the enclosing box; nil at the top level.
        package let parent: BoxType?

        /// The offset of the payload, in bytes from the start of the file.
        package var payloadOffset: UInt64 { offset + UInt64(header.length) }
    }

    /// One step of the iteration.
    package enum Step: Sendable, Hashable {
        /// A box begins; it is skipped unless the caller calls `descend` or `hold`.
        case box(Box)
        /// The requested payload is available in `payload` until the next call.
        case payload(Box)
        /// A box that was entered ends.
        case end(Box)
    }

    private enum State: Sendable {
        /// Collecting the header of a box.
        case header
        /// A box was returned, and the caller has not yet chosen an action.
        case offered(Box, end: UInt64?)
        /// Skipping bytes up to this offset, or to the end of the file if it is nil.
        case skipping(until: UInt64?)
        /// Collecting the payload of a box.
        case holding(Box, end: UInt64?)
        /// The payload was returned; the next call discards it.
        case given
        /// Searching for bytes that look like a box, after an invalid size.
        case lost
    }

    private struct Container: Sendable {
        let box: Box
        let end: UInt64?
    }

    private let limits: Limits
    private var state = State.header
    private var containers: [Container] = []
    private var held: [UInt8] = []
    private var boxCount = 0

    /// The number of bytes of the file consumed so far.
    package private(set) var offset: UInt64 = 0

    /// Creates a walker at the start of a file.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The payload of the last `.payload` step.
    package var payload: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { held.span }
    }

    /// Enters the last returned box and skips the first `skipped` bytes of its payload.
    package mutating func descend(skipping skipped: UInt64 = 0) throws(ISOBMFFError) {
        guard case .offered(let box, let end) = state else {
            preconditionFailure("descend without a box")
        }
        guard containers.count < limits.maximumDepth else {
            state = .skipping(until: end)
            throw .nestedTooDeep(at: box.offset, type: box.header.type)
        }
        containers.append(Container(box: box, end: end))
        state = .header
        if skipped > 0 {
            let start = box.payloadOffset + skipped
            state = .skipping(until: end.map { min($0, start) } ?? start)
        }
    }

    /// Requests the payload of the last returned box, which a later step returns when it is complete.
    package mutating func hold() throws(ISOBMFFError) {
        guard case .offered(let box, let end) = state else { preconditionFailure("hold without a box") }
        let size = end.map { $0 - min($0, box.payloadOffset) } ?? UInt64(limits.maximumPayloadByteCount)
        guard size <= UInt64(limits.maximumPayloadByteCount) else {
            state = .skipping(until: end)
            throw .payloadTooLong(at: box.offset, type: box.header.type, size: size)
        }
        held.removeAll(keepingCapacity: true)
        state = .holding(box, end: end)
    }

    /// Returns the next step in the chunk from `position` on and advances `position`; nil at the end of the chunk.
    package mutating func next(in chunk: Span<UInt8>, at position: inout Int) throws(ISOBMFFError) -> Step? {
        while true {
            switch state {
            case .given:
                held.removeAll(keepingCapacity: true)
                state = .header
            case .offered(_, let end):
                state = .skipping(until: end)
            case .skipping(let until):
                guard pass(until: until, chunk, &position) else { return nil }
                state = .header
            case .holding(let box, let end):
                guard try collect(until: end, box, chunk, &position) else { return nil }
                state = .given
                return .payload(box)
            case .header:
                if let ended = endedContainer() { return .end(ended) }
                guard let step = try readHeader(chunk, &position) else { return nil }
                return step
            case .lost:
                guard search(chunk, &position) else { return nil }
                state = .header
            }
        }
    }

    /// The number of upcoming bytes that are skipped regardless of their content; `UInt64.max` for all.
    package var skippableByteCount: UInt64 {
        switch state {
        case .skipping(let until?), .offered(_, let until?): until - min(until, offset)
        case .skipping(nil), .offered(_, nil): .max
        default: 0
        }
    }

    /// Records that the caller skipped `count` bytes, at most `skippableByteCount`.
    package mutating func skip(_ count: UInt64) {
        precondition(count <= skippableByteCount, "more skipped than can be")
        if case .offered(_, let end) = state { state = .skipping(until: end) }
        offset &+= count
        if case .skipping(let until?) = state, offset >= until { state = .header }
    }

    /// Ends the file and returns the payload of a box that extends to its end.
    ///
    /// - Throws: `truncated` if a box is shorter than its size; `payload` then has the available part of a requested
    ///   payload.
    package mutating func finish() throws(ISOBMFFError) -> Step? {
        defer { containers = [] }
        switch state {
        case .holding(let box, let end):
            state = .given
            guard let end else { return .payload(box) }
            throw .truncated(
                at: box.offset, type: box.header.type, needed: end - box.offset,
                available: offset - box.offset)
        case .header where !held.isEmpty:
            let type = held.count >= 8 ? held.span.bigEndianUInt32(at: 4) : 0
            let available = UInt64(held.count)
            held = []
            throw .truncated(
                at: offset - available, type: BoxType(rawValue: type), needed: 8, available: available)
        case .skipping(let until?) where until > offset:
            state = .header
            throw .truncated(
                at: offset, type: containers.last?.box.header.type ?? .mediaData,
                needed: until - offset, available: 0)
        case .offered(let box, let end?) where end > offset:
            state = .header
            throw .truncated(
                at: box.offset, type: box.header.type, needed: end - box.offset,
                available: offset - box.offset)
        default:
            // The innermost containers may have ended with the last skipped bytes.
            let isTruncated = { [offset] (end: UInt64?) in end.map { $0 > offset } ?? false }
            guard let container = containers.last(where: { isTruncated($0.end) }), let end = container.end
            else { return nil }
            throw .truncated(
                at: container.box.offset, type: container.box.header.type, needed: end - container.box.offset,
                available: offset - container.box.offset)
        }
    }

    /// The box whose payload was truncated, while `payload` still has its available part.
    package var heldBox: Box? {
        if case .holding(let box, _) = state { return box }
        return nil
    }
}

// MARK: - Steps

extension BoxWalker {
    private mutating func pass(until: UInt64?, _ chunk: Span<UInt8>, _ position: inout Int) -> Bool {
        let available = UInt64(chunk.count - position)
        let count = until.map { min(available, $0 - min($0, offset)) } ?? available
        position += Int(count)
        offset &+= count
        return until.map { offset >= $0 } ?? false
    }

    private mutating func collect(
        until end: UInt64?, _ box: Box, _ chunk: Span<UInt8>, _ position: inout Int
    ) throws(ISOBMFFError) -> Bool {
        let room = UInt64(limits.maximumPayloadByteCount - held.count)
        let wanted = end.map { $0 - min($0, offset) } ?? room
        let count = Int(min(wanted, UInt64(chunk.count - position)))
        append(chunk, position..<position + count)
        position += count
        offset &+= UInt64(count)
        if let end { return offset >= end }
        // The box extends to the end of the file, so its size becomes known only when it exceeds the limit.
        guard position < chunk.count else { return false }
        held.removeAll(keepingCapacity: true)
        state = .skipping(until: nil)
        throw .payloadTooLong(
            at: box.offset, type: box.header.type, size: UInt64(limits.maximumPayloadByteCount) + 1)
    }

    private mutating func append(_ chunk: Span<UInt8>, _ range: Range<Int>) {
        held.append(contentsOf: chunk.copy(range))
    }

    private mutating func endedContainer() -> Box? {
        guard held.isEmpty, let container = containers.last, let end = container.end, offset >= end else {
            return nil
        }
        containers.removeLast()
        return container.box
    }

    private mutating func readHeader(_ chunk: Span<UInt8>, _ position: inout Int) throws(ISOBMFFError)
        -> Step?
    {
        let parentEnd = containers.last?.end
        // Fewer than 8 bytes at the end of a container are padding that some writers add.
        if let parentEnd, held.isEmpty, parentEnd - min(parentEnd, offset) < 8 {
            state = .skipping(until: parentEnd)
            guard let next = try next(in: chunk, at: &position) else { return nil }
            return next
        }
        while true {
            let needed = BoxHeader.length(of: held.span) ?? 8
            if held.count >= needed { break }
            guard position < chunk.count else { return nil }
            let count = min(needed - held.count, chunk.count - position)
            append(chunk, position..<position + count)
            position += count
            offset &+= UInt64(count)
        }
        defer { held.removeAll(keepingCapacity: true) }
        let start = offset - UInt64(held.count)
        boxCount += 1
        guard boxCount <= limits.maximumBoxCount else {
            state = .skipping(until: nil)
            throw .tooManyBoxes(at: start)
        }
        let header: BoxHeader
        do throws(ISOBMFFError) {
            header = try BoxHeader(held.span, offset: start)
        } catch {
            loseTheWay(in: parentEnd)
            throw error
        }
        var end: UInt64?
        if let size = header.size {
            let (sum, overflow) = start.addingReportingOverflow(size)
            let available = (parentEnd ?? .max) - start
            guard !overflow, size <= available else {
                loseTheWay(in: parentEnd)
                throw .sizePastParent(at: start, type: header.type, size: size, available: available)
            }
            end = sum
        } else {
            end = parentEnd
        }
        let box = Box(header: header, offset: start, parent: containers.last?.box.header.type)
        state = .offered(box, end: end)
        return .box(box)
    }

    /// Recovers from an invalid size: skips the rest of an enclosing box of known size, or starts a search.
    private mutating func loseTheWay(in parentEnd: UInt64?) {
        state = parentEnd.map { .skipping(until: $0) } ?? .lost
        if parentEnd == nil { containers = [] }
    }

    /// The box types at which a search resumes: those at the top level of a segment.
    private static let landmarks: [BoxType] = [
        .eventMessage, .movieFragment, .segmentType, .segmentIndex, .movie, .mediaData, .fileType,
    ]

    /// Searches for eight bytes that begin a known box of a plausible size.
    private mutating func search(_ chunk: Span<UInt8>, _ position: inout Int) -> Bool {
        while position < chunk.count {
            held.append(chunk[position])
            position += 1
            offset &+= 1
            guard held.count >= 8 else { continue }
            if held.count > 8 { held.removeFirst() }
            let size = held.span.bigEndianUInt32(at: 0)
            let type = BoxType(rawValue: held.span.bigEndianUInt32(at: 4))
            if size >= 8, size < 1 << 26, Self.landmarks.contains(type) { return true }
        }
        return false
    }
}
