import ByteReading

/// Skips unchanged repetitions of the tables on one PID.
///
/// Tables are repeated constantly and rarely change. A packet that held complete sections without changes is
/// remembered. The same packet with another continuity counter cannot contain changes either, so its sections are not
/// read.
struct TableRepetition: Sendable {
    private var assembler = SectionAssembler()
    /// The last packet without changes, or empty if there is none.
    private var repetition: [UInt8] = []

    init() {}

    /// Whether the bytes of a section are incomplete.
    var isInsideSection: Bool { assembler.isInsideSection }

    /// Adds the packet at `offset` and returns the sections that end in it, or nil for a repetition.
    mutating func add(
        _ packet: TransportPacket, in bytes: Span<UInt8>, at offset: Int
    ) -> SectionAssembler.Output? {
        if isRepetition(bytes, at: offset) { return nil }
        repetition.removeAll(keepingCapacity: true)
        return assembler.add(packet, in: bytes, at: offset)
    }

    /// Remembers the packet at `offset`, which was added last, as one without changes.
    mutating func remember(_ bytes: Span<UInt8>, at offset: Int) {
        guard assembler.isIdle else { return }
        repetition.append(bytes.extracting(offset..<offset + TransportPacket.byteCount))
    }

    /// Forgets the remembered packet, so that its next repetition is read.
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
