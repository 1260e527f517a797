/// Room for one transport packet, to look at without its bytes changing meanwhile.
struct PacketCopy {
    // As many as a packet has: `TransportPacket.byteCount` cannot stand here.
    private var bytes = InlineArray<188, UInt8>(repeating: 0)

    /// The copy.
    var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span }
    }

    /// Copies the packet at `position`, behind which a packet's bytes must stand.
    mutating func fill(from source: Span<UInt8>, at position: Int) {
        let packet = source.extracting(position..<position + TransportPacket.byteCount)
        var room = bytes.mutableSpan
        precondition(room.count == packet.count)
        // Both have the bytes of a packet, and the one is not part of the other.
        unsafe packet.withUnsafeBytes { from in
            unsafe room.withUnsafeMutableBytes { unsafe $0.copyMemory(from: from) }
        }
    }
}
