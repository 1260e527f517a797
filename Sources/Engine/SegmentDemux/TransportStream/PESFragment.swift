import ByteReading

/// The transport packet in which a byte of a PES packet arrived.
struct PacketReference: Sendable, Hashable {
    /// A number that identifies the packet among those given to the demuxer.
    let number: Int
    let segmentIndex: Int
    /// The offset of the sync byte from the start of the packet's segment, in bytes.
    let offset: Int
    let precedingMediaTime: UInt64?
}

/// Contiguous payload bytes of one PES packet.
struct PESFragment: Sendable {
    /// The transport packet in which the PES packet begins, which identifies the PES packet within its PID.
    let start: PacketReference
    let header: PESHeader
    /// Whether the first byte is the first byte of the PES payload.
    var beginsPacket = false
    /// Whether the last byte is the last byte of the PES payload.
    var endsPacket = false
    /// Whether transport packets are missing before the first byte.
    var followsDiscontinuity = false
    /// Whether the bytes follow the end of the PES packet given by its PES_packet_length.
    var isBeyondLength = false
    var bytes: [UInt8] = []
    /// The start in `bytes` of the payload of each transport packet, in order.
    var pieces: [Piece] = []

    struct Piece: Sendable {
        let start: Int
        let packet: PacketReference
    }

    /// Appends bytes that arrived in one packet.
    mutating func append(_ span: Span<UInt8>, _ range: Range<Int>, from packet: PacketReference) {
        guard !range.isEmpty else { return }
        if pieces.last?.packet != packet { pieces.append(Piece(start: bytes.count, packet: packet)) }
        bytes.append(span.extracting(range))
    }

    /// Appends a range of another fragment's bytes, with references to their packets.
    mutating func append(_ other: PESFragment, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        var position = range.lowerBound
        for index in other.pieceIndices(in: range) {
            let end = min(other.endOfPiece(index), range.upperBound)
            append(other.bytes.span, position..<end, from: other.pieces[index].packet)
            position = end
        }
    }

    /// Returns the packet in which the byte at `index` arrived.
    func packet(at index: Int) -> PacketReference? {
        guard index >= 0, index < bytes.count else { return nil }
        return pieces[pieceIndex(at: index)].packet
    }

    /// Returns the numbers of the packets in which the bytes of `range` arrived.
    func packetNumbers(in range: Range<Int>) -> some Sequence<Int> {
        pieceIndices(in: range).lazy.map { pieces[$0].packet.number }
    }

    /// Whether the fragment starts with a tag, or with as much of one as it has bytes.
    var beginsWithTag: Bool { TagExtent.measure(bytes.span, 0..<bytes.count) != .none }

    private func pieceIndices(in range: Range<Int>) -> Range<Int> {
        guard !range.isEmpty, range.upperBound <= bytes.count else { return 0..<0 }
        return pieceIndex(at: range.lowerBound)..<pieceIndex(at: range.upperBound - 1) + 1
    }

    private func endOfPiece(_ index: Int) -> Int {
        index + 1 < pieces.count ? pieces[index + 1].start : bytes.count
    }

    /// Returns the index of the last piece that begins at or before `offset`.
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
