import ByteReading

/// The transport packet that a byte of a PES packet came in.
struct PacketReference: Sendable, Hashable {
    /// Counts the packets that a demuxer was given; another number is another packet.
    let number: Int
    let segmentIndex: Int
    /// Where the packet's sync byte is, in bytes from its segment's start.
    let offset: Int
    let precedingMediaTime: UInt64?
}

/// Payload bytes of one PES packet, with none missing between them.
struct PESFragment: Sendable {
    /// The packet in which the PES packet begins, which tells the PES packets of a PID apart.
    let start: PacketReference
    let header: PESHeader
    /// Whether the first byte is the first of the PES packet's payload.
    var beginsPacket = false
    /// Whether the last byte is the last of it.
    var endsPacket = false
    /// Whether transport packets are missing before the first byte.
    var followsDiscontinuity = false
    /// Whether the bytes come after the end of the PES packet, by its PES_packet_length.
    var isBeyondLength = false
    var bytes: [UInt8] = []
    /// Where in `bytes` the payload of each transport packet begins, in order.
    var pieces: [Piece] = []

    struct Piece: Sendable {
        let start: Int
        let packet: PacketReference
    }

    /// Appends bytes that came in one packet.
    mutating func append(_ span: Span<UInt8>, _ range: Range<Int>, from packet: PacketReference) {
        guard !range.isEmpty else { return }
        if pieces.last?.packet != packet { pieces.append(Piece(start: bytes.count, packet: packet)) }
        bytes.append(span.extracting(range))
    }

    /// Appends a range of another fragment's bytes, with the packets that they came in.
    mutating func append(_ other: PESFragment, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        var position = range.lowerBound
        for index in other.pieceIndices(in: range) {
            let end = min(other.endOfPiece(index), range.upperBound)
            append(other.bytes.span, position..<end, from: other.pieces[index].packet)
            position = end
        }
    }

    /// The packet that the byte at `index` came in.
    func packet(at index: Int) -> PacketReference? {
        guard index >= 0, index < bytes.count else { return nil }
        return pieces[pieceIndex(at: index)].packet
    }

    /// The numbers of the packets that bytes of `range` came in.
    func packetNumbers(in range: Range<Int>) -> some Sequence<Int> {
        pieceIndices(in: range).lazy.map { pieces[$0].packet.number }
    }

    /// Whether its first bytes are those of a tag.
    var beginsWithTag: Bool {
        if case .tag = TagExtent.measure(bytes.span, 0..<bytes.count) { true } else { false }
    }

    private func pieceIndices(in range: Range<Int>) -> Range<Int> {
        guard !range.isEmpty, range.upperBound <= bytes.count else { return 0..<0 }
        return pieceIndex(at: range.lowerBound)..<pieceIndex(at: range.upperBound - 1) + 1
    }

    private func endOfPiece(_ index: Int) -> Int {
        index + 1 < pieces.count ? pieces[index + 1].start : bytes.count
    }

    /// The last piece that begins at or before `offset`; every byte belongs to one.
    private func pieceIndex(at offset: Int) -> Int {
        var low = 0
        var high = pieces.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if pieces[middle].start <= offset { low = middle } else { high = middle }
        }
        return low
    }
}
