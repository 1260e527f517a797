import ByteReading

/// The tables on one PID, which are repeated all the time and rarely change.
///
/// A packet that held complete sections and nothing new is remembered. The same packet with another continuity
/// counter says nothing new either, and its sections need not be read.
struct TableRepetition: Sendable {
    private var assembler = SectionAssembler()
    /// The packet that says nothing new; empty where none is known.
    private var repetition: [UInt8] = []

    init() {}

    /// Adds the packet at `offset`, and returns the sections that end in it; nil where it says nothing new.
    mutating func add(
        _ packet: TransportPacket, in bytes: Span<UInt8>, at offset: Int
    ) -> SectionAssembler.Yield? {
        if isRepetition(bytes, at: offset) { return nil }
        repetition.removeAll(keepingCapacity: true)
        return assembler.add(packet, in: bytes, at: offset)
    }

    /// Remembers the packet at `offset`, the last that was added, as one that says nothing new.
    mutating func remember(_ bytes: Span<UInt8>, at offset: Int) {
        guard assembler.isIdle else { return }
        repetition.append(bytes.extracting(offset..<offset + TransportPacket.byteCount))
    }

    /// Forgets the packet, because what it says may be new now.
    mutating func forget() { repetition.removeAll(keepingCapacity: true) }

    private func isRepetition(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard !repetition.isEmpty else { return false }
        let continuityCounter: UInt32 = 0x0F
        let difference = bytes.bigEndianUInt32(at: offset) ^ repetition.span.bigEndianUInt32(at: 0)
        let end = TransportPacket.byteCount
        return difference & ~continuityCounter == 0
            && bytes.extracting(offset + 4..<offset + end).equals(repetition.span.extracting(4..<end))
    }
}
