/// Gathers the payload of PES packets along one PID, over segments (ISO/IEC 13818-1, 2.4.3.6).
///
/// libavformat drops the first bytes of some PES packets; this is where they come from again.
struct PESGatherer: Sendable {
    private enum State {
        /// Nothing to add to: packets up to the next start are parts of a PES packet whose start is missing.
        case idle
        /// In a header that runs over several packets: its bytes, and for each packet where they begin.
        case header(PESPart)
        /// In the payload; `remaining` is what the length still announces, nil where there is none.
        case payload(PESPart, remaining: Int?)
        /// Behind the announced end.
        case beyond(PESPart)
    }

    private var state = State.idle

    /// What one packet, or the end of the bytes, brought.
    struct Yield {
        var parts: [PESPart] = []
        var startCount = 0
        /// The rule that the packet breaks.
        var brokenRule: String?
    }

    init() {}

    /// Takes the payload of one packet, which stands at `range`.
    mutating func add(
        _ span: Span<UInt8>, _ range: Range<Int>, startsUnit: Bool, followsLoss: Bool,
        from packet: PacketReference, into yield: inout Yield
    ) {
        if startsUnit {
            end(isWhole: !followsLoss, into: &yield)
            let unread = PESHeader(streamID: 0, declaredByteCount: nil, headerByteCount: 0, pts: nil)
            state = .header(PESPart(start: packet, header: unread))
        }
        switch state {
        case .idle:
            if !startsUnit { yield.brokenRule = "pes.start-missing" }
        case .header(var part):
            if followsLoss, !startsUnit {
                state = .idle
                yield.brokenRule = "pes.header-cut"
                return
            }
            part.append(span, range, from: packet)
            readHeader(part, into: &yield)
        case .payload(var part, let remaining):
            if followsLoss {
                emit(part, into: &yield)
                part = Self.rest(of: part)
                part.followsLoss = true
            }
            take(part, remaining, span, range, from: packet, into: &yield)
        case .beyond(var part):
            part.followsLoss = part.followsLoss || followsLoss
            part.append(span, range, from: packet)
            state = .beyond(part)
            emitOpen(into: &yield)
        }
    }

    /// Gives what was gathered of a PES packet that goes on, or may go on, in bytes still to come.
    mutating func flush(into yield: inout Yield) { emitOpen(into: &yield) }

    /// Ends the PES packet that is open, because another one begins.
    private mutating func end(isWhole: Bool, into yield: inout Yield) {
        if case .header = state { yield.brokenRule = "pes.header-cut" }
        if case .payload(var part, nil) = state {
            part.endsPacket = isWhole
            state = .payload(part, remaining: nil)
        }
        emitOpen(into: &yield)
        state = .idle
    }

    private mutating func emitOpen(into yield: inout Yield) {
        switch state {
        case .idle, .header: break
        case .payload(var part, let remaining):
            // An unbounded PES packet is over when nothing follows; so the end of the bytes may be its end.
            if remaining == nil { part.endsPacket = true }
            emit(part, into: &yield)
            state = .payload(Self.rest(of: part), remaining: remaining)
        case .beyond(let part):
            emit(part, into: &yield)
            state = .beyond(Self.rest(of: part))
        }
    }

    private func emit(_ part: PESPart, into yield: inout Yield) {
        if !part.bytes.isEmpty || part.beginsPacket { yield.parts.append(part) }
    }

    /// The part of the same PES packet that comes after `part`.
    private static func rest(of part: PESPart) -> PESPart {
        var rest = PESPart(start: part.start, header: part.header)
        rest.isBeyondLength = part.isBeyondLength
        return rest
    }

    private mutating func readHeader(_ gathered: PESPart, into yield: inout Yield) {
        let bytes = gathered.bytes.span
        switch PESHeader.read(bytes, 0..<bytes.count) {
        case .incomplete: state = .header(gathered)
        case .none:
            state = .idle
            yield.brokenRule = "pes.start-code"
        case .header(let header):
            yield.startCount += 1
            var part = PESPart(start: gathered.start, header: header)
            part.beginsPacket = true
            // Only the last packet can have bytes behind the header's end.
            guard let last = gathered.pieces.last else { return }
            let remaining = header.declaredByteCount.map { max(0, $0 - header.headerByteCount) }
            take(
                part, remaining, bytes, header.headerByteCount..<bytes.count, from: last.packet, into: &yield)
        }
    }

    private mutating func take(
        _ open: PESPart, _ remaining: Int?, _ span: Span<UInt8>, _ range: Range<Int>,
        from packet: PacketReference, into yield: inout Yield
    ) {
        var part = open
        guard let remaining else {
            part.append(span, range, from: packet)
            state = .payload(part, remaining: nil)
            return
        }
        let count = min(remaining, range.count)
        part.append(span, range.lowerBound..<range.lowerBound + count, from: packet)
        guard count == remaining else {
            state = .payload(part, remaining: remaining - count)
            return
        }
        part.endsPacket = true
        emit(part, into: &yield)
        var beyond = Self.rest(of: part)
        beyond.isBeyondLength = true
        beyond.append(span, range.lowerBound + count..<range.upperBound, from: packet)
        state = .beyond(beyond)
        emitOpen(into: &yield)
    }
}
