import ByteReading

/// The tables on one PID, which come again and again and mostly say what they said before.
///
/// A packet that brought whole sections and nothing new is remembered. The same packet, whose continuity counter
/// alone has moved on, brings nothing new either, and is not taken apart again.
struct TableRepetition: Sendable {
    private var assembler = SectionAssembler()
    /// The packet that would bring nothing new; empty where none is known.
    private var settled: [UInt8] = []

    init() {}

    /// Takes the packet at `offset` and gives the sections that end in it; nil where it says nothing new.
    mutating func add(
        _ packet: TransportPacket, in bytes: Span<UInt8>, at offset: Int
    ) -> SectionAssembler.Yield? {
        if isSettled(bytes, at: offset) { return nil }
        settled.removeAll(keepingCapacity: true)
        return assembler.add(packet, in: bytes, at: offset)
    }

    /// Says that the packet at `offset`, the last that was added, brought whole sections and nothing new.
    mutating func settle(_ bytes: Span<UInt8>, at offset: Int) {
        guard assembler.isIdle else { return }
        settled.append(bytes.extracting(offset..<offset + TransportPacket.byteCount))
    }

    /// Says that any packet may bring something new.
    mutating func unsettle() { settled.removeAll(keepingCapacity: true) }

    private func isSettled(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard !settled.isEmpty else { return false }
        let continuityCounter: UInt32 = 0x0F
        let difference = bytes.bigEndianUInt32(at: offset) ^ settled.span.bigEndianUInt32(at: 0)
        let end = TransportPacket.byteCount
        return difference & ~continuityCounter == 0
            && bytes.extracting(offset + 4..<offset + end).equals(settled.span.extracting(4..<end))
    }
}
