import ID3v2

/// Reassembles the payload of the PES packets of one PID, across segments (ISO/IEC 13818-1, 2.4.3.6).
///
/// libavformat drops the first five bytes of some PES packets; this type preserves them.
struct PESReassembler: Sendable {
    private enum State {
        /// No PES packet is open: data up to the next start belongs to a packet whose start is missing.
        case idle
        /// Inside a header that spans several transport packets; the fragment holds its bytes so far.
        case header(PESFragment)
        /// Inside the payload; `remaining` is the number of missing bytes, or nil if PES_packet_length is 0.
        case payload(PESFragment, remaining: Int?)
        /// After the end given by PES_packet_length.
        ///
        /// Some muxers declare too short a length, so the bytes are passed on with a mark.
        case beyond(PESFragment)
    }

    private var state = State.idle

    /// The result of adding a packet or of a flush.
    struct Output {
        var fragments: [PESFragment] = []
        var startCount = 0
        /// The rule that the packet violates.
        var brokenRule: MalformedRule?
    }

    init() {}

    /// Adds the payload of one packet, which is at `range`.
    mutating func add(
        _ span: Span<UInt8>, _ range: Range<Int>, startsUnit: Bool, followsDiscontinuity: Bool,
        from packet: PacketReference, into output: inout Output
    ) {
        if startsUnit {
            end(isComplete: !followsDiscontinuity, into: &output)
            let unread = PESHeader(streamID: 0, declaredByteCount: nil, headerByteCount: 0, pts: nil)
            var fragment = PESFragment(start: packet, header: unread)
            fragment.followsDiscontinuity = followsDiscontinuity
            state = .header(fragment)
        }
        switch state {
        case .idle:
            if !startsUnit { output.brokenRule = .pesStartMissing }
        case .header(var fragment):
            if followsDiscontinuity, !startsUnit {
                state = .idle
                output.brokenRule = .pesHeaderTruncated
                return
            }
            fragment.append(span, range, from: packet)
            readHeader(fragment, into: &output)
        case .payload(var fragment, let remaining):
            if followsDiscontinuity {
                emit(fragment, into: &output)
                fragment = Self.rest(of: fragment)
                fragment.followsDiscontinuity = true
            }
            append(fragment, remaining, span, range, from: packet, into: &output)
        case .beyond(var fragment):
            fragment.followsDiscontinuity = fragment.followsDiscontinuity || followsDiscontinuity
            fragment.append(span, range, from: packet)
            state = .beyond(fragment)
            emitOpen(into: &output)
        }
    }

    /// Returns the pending bytes of a PES packet that may continue in later input.
    mutating func flush(into output: inout Output) { emitOpen(into: &output) }

    /// Ends the open PES packet, because another one begins.
    private mutating func end(isComplete: Bool, into output: inout Output) {
        if case .header = state { output.brokenRule = .pesHeaderTruncated }
        if case .payload(var fragment, nil) = state {
            fragment.endsPacket = isComplete
            state = .payload(fragment, remaining: nil)
        }
        emitOpen(into: &output)
        state = .idle
    }

    private mutating func emitOpen(into output: inout Output) {
        switch state {
        case .idle, .header: break
        case .payload(var fragment, let remaining):
            // A PES packet without a length ends with the next start, so the input so far may be complete.
            if remaining == nil { fragment.endsPacket = true }
            emit(fragment, into: &output)
            state = .payload(Self.rest(of: fragment), remaining: remaining)
        case .beyond(let fragment):
            emit(fragment, into: &output)
            state = .beyond(Self.rest(of: fragment))
        }
    }

    private func emit(_ fragment: PESFragment, into output: inout Output) {
        if !fragment.bytes.isEmpty || fragment.beginsPacket { output.fragments.append(fragment) }
    }

    /// Returns an empty fragment of the same PES packet, for the bytes that follow `fragment`.
    private static func rest(of fragment: PESFragment) -> PESFragment {
        var rest = PESFragment(start: fragment.start, header: fragment.header)
        rest.isBeyondLength = fragment.isBeyondLength
        return rest
    }

    private mutating func readHeader(_ begun: PESFragment, into output: inout Output) {
        let bytes = begun.bytes.span
        switch PESHeader.read(bytes, 0..<bytes.count) {
        case .incomplete: state = .header(begun)
        case .none:
            state = .idle
            output.brokenRule = .pesStartCode
        case .header(let header):
            output.startCount += 1
            var fragment = PESFragment(start: begun.start, header: header)
            fragment.beginsPacket = true
            fragment.followsDiscontinuity = begun.followsDiscontinuity
            // Only the last transport packet can contain bytes after the end of the header.
            guard let last = begun.pieces.last else { return }
            let remaining = header.declaredByteCount.map { max(0, $0 - header.headerByteCount) }
            append(
                fragment, remaining, bytes, header.headerByteCount..<bytes.count, from: last.packet,
                into: &output)
        }
    }

    private mutating func append(
        _ open: PESFragment, _ remaining: Int?, _ span: Span<UInt8>, _ range: Range<Int>,
        from packet: PacketReference, into output: inout Output
    ) {
        var fragment = open
        guard let remaining else {
            fragment.append(span, range, from: packet)
            state = .payload(fragment, remaining: nil)
            return
        }
        let count = min(remaining, range.count)
        fragment.append(span, range.lowerBound..<range.lowerBound + count, from: packet)
        guard count == remaining else {
            state = .payload(fragment, remaining: remaining - count)
            return
        }
        fragment.endsPacket = true
        emit(fragment, into: &output)
        var beyond = Self.rest(of: fragment)
        beyond.isBeyondLength = true
        beyond.append(span, range.lowerBound + count..<range.upperBound, from: packet)
        state = .beyond(beyond)
        emitOpen(into: &output)
    }
}
