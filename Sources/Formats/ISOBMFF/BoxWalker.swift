import ByteReading
import TimedMedia

/// A walk over the boxes of a file that is fed in chunks of any size.
///
/// The walker stops at each box and passes over it unless it is told to go in (`descend`) or to hold its
/// payload (`hold`), so that of media data nothing is ever held:
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
/// `next` throws for a box that breaks a rule and has then already stepped over it: go on calling it. After a
/// size that cannot be, it looks for the next place that has the form of a box known at the top of a file.
package struct BoxWalker: Sendable {
    /// How much is followed and held.
    package struct Limits: Sendable, Hashable {
        /// How many boxes may lie in one another.
        package var maximumDepth = 16
        /// How many boxes are looked at.
        package var maximumBoxCount = 1 << 24
        /// How many bytes of one payload are held.
        package var maximumPayloadByteCount = 1 << 20

        /// The usual limits.
        package init() {}
    }

    /// A box and where it lies.
    package struct Box: Sendable, Hashable {
        /// Its size and type.
        package let header: BoxHeader
        /// Where its header begins, in bytes from the start of the file.
        package let offset: UInt64
        /// What the box is that it lies in; nil at the top.
        package let parent: BoxType?

        /// Where its payload begins.
        package var payloadOffset: UInt64 { offset + UInt64(header.length) }
    }

    /// What the walk comes upon.
    package enum Step: Sendable, Hashable {
        /// A box begins; without `descend` or `hold` it is passed over.
        case box(Box)
        /// The payload that was asked for is there, in `payload`, until the next call.
        case payload(Box)
        /// A box that was descended into ends.
        case end(Box)
    }

    private enum State: Sendable {
        /// The header of a box is being gathered.
        case header
        /// A box was given and nothing was asked for it yet.
        case offered(Box, end: UInt64?)
        /// Bytes up to this offset are passed over; nil: all.
        case skipping(until: UInt64?)
        /// The payload of the box is being gathered.
        case holding(Box, end: UInt64?)
        /// The payload was given, and goes with the next call.
        case given
        /// Some size was wrong: a place that looks like a box is searched for.
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

    /// How many bytes of the file have been taken in.
    package private(set) var offset: UInt64 = 0

    /// A walk that begins at the start of a file.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The payload of the last `.payload` step.
    package var payload: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { held.span }
    }

    /// Goes into the box that was given last, whose payload begins with `skipped` bytes of its own.
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

    /// Holds the payload of the box that was given last, and gives it when it is all there.
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

    /// The next step in the chunk from `position` on, which moves with it; nil where the chunk has no more.
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
                guard try gather(until: end, box, chunk, &position) else { return nil }
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

    /// How many of the bytes that come next are passed over whatever they are; `UInt64.max` for all.
    package var skippableByteCount: UInt64 {
        switch state {
        case .skipping(let until?), .offered(_, let until?): until - min(until, offset)
        case .skipping(nil), .offered(_, nil): .max
        default: 0
        }
    }

    /// Says that so many bytes, at most `skippableByteCount`, were passed over.
    package mutating func skip(_ count: UInt64) {
        precondition(count <= skippableByteCount, "more skipped than can be")
        if case .offered(_, let end) = state { state = .skipping(until: end) }
        offset &+= count
        if case .skipping(let until?) = state, offset >= until { state = .header }
    }

    /// Ends the file: a box that ends with it, or that is cut off; what is held of its payload is in `payload`.
    ///
    /// - Throws: `truncated` where a box ends before its size says; its payload so far is then in `payload`.
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
            // The innermost ones may have ended with the last bytes, where these were passed over.
            let isCut = { [offset] (end: UInt64?) in end.map { $0 > offset } ?? false }
            guard let cut = containers.last(where: { isCut($0.end) }), let end = cut.end else { return nil }
            throw .truncated(
                at: cut.box.offset, type: cut.box.header.type, needed: end - cut.box.offset,
                available: offset - cut.box.offset)
        }
    }

    /// The box whose payload was cut off, while `payload` still has what there is of it.
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

    private mutating func gather(
        until end: UInt64?, _ box: Box, _ chunk: Span<UInt8>, _ position: inout Int
    ) throws(ISOBMFFError) -> Bool {
        let room = UInt64(limits.maximumPayloadByteCount - held.count)
        let wanted = end.map { $0 - min($0, offset) } ?? room
        let count = Int(min(wanted, UInt64(chunk.count - position)))
        append(chunk, position..<position + count)
        position += count
        offset &+= UInt64(count)
        if let end { return offset >= end }
        // To the end of the file: what passes the limit is not a payload that is asked for.
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
        // A few bytes before a container's end that are no box: padding that some writers leave.
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

    /// After a size that cannot be: inside a box of known size the rest of it is passed over.
    private mutating func loseTheWay(in parentEnd: UInt64?) {
        state = parentEnd.map { .skipping(until: $0) } ?? .lost
        if parentEnd == nil { containers = [] }
    }

    /// The boxes that the walk is taken up again at: those that stand at the top of a segment.
    private static let landmarks: [BoxType] = [
        .eventMessage, .movieFragment, .segmentType, .segmentIndex, .movie, .mediaData, .fileType,
    ]

    /// Looks for eight bytes that begin a known box of a likely size.
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
