import ByteReading

/// Assembles the sections carried on one PID (ISO/IEC 13818-1, 2.4.4).
///
/// Only sections with a valid CRC are returned. A section that spans several packets is buffered up to the maximum
/// length of a section.
struct SectionAssembler: Sendable {
    /// The maximum length of a PAT or PMT section: three bytes and a length of at most 1021 (2.4.4.5, 2.4.4.9).
    static let maximumByteCount = 1024

    /// The maximum length of other sections, which the PID of a PMT may also carry (2.4.4.11).
    static let maximumPrivateByteCount = 4096

    private var bytes: [UInt8] = []
    private var packets: [UInt8] = []
    private var isInSection = false

    /// A section and the transport packets that contained it.
    struct Section {
        let bytes: [UInt8]
        let packets: [UInt8]
    }

    /// The sections that end in a packet.
    struct Output {
        var sections: [Section] = []
        var brokenCount = 0
    }

    init() {}

    /// Whether no section is incomplete.
    var isIdle: Bool { !isInSection }

    /// Whether the bytes of a section are incomplete.
    var isInsideSection: Bool { isInSection && !bytes.isEmpty }

    /// Adds the packet at `offset`, and returns the sections that end in it.
    mutating func add(_ packet: TransportPacket, in span: Span<UInt8>, at offset: Int) -> Output {
        var output = Output()
        guard packet.hasPayload else { return output }
        let end = offset + TransportPacket.byteCount
        if isInSection, isDuplicate(span.extracting(offset..<end)) { return output }
        var position = offset + packet.payloadStart
        packets.append(span.extracting(offset..<end))
        if packet.startsUnit {
            let pointer = Int(span[position])
            position += 1
            guard pointer <= end - position else {
                reset()
                output.brokenCount += 1
                return output
            }
            if isInSection {
                append(span, position..<position + pointer, into: &output)
                if isInSection {
                    // The next section begins before this one is complete.
                    output.brokenCount += 1
                }
            }
            position += pointer
            bytes.removeAll(keepingCapacity: true)
            packets = span.copy(offset..<end)
            isInSection = true
        }
        if isInSection { append(span, position..<end, into: &output) }
        if !isInSection { reset() }
        return output
    }

    /// Returns whether `packet` is a duplicate of the previous one (2.4.3.3).
    private func isDuplicate(_ packet: Span<UInt8>) -> Bool {
        let count = TransportPacket.byteCount
        guard packets.count >= count else { return false }
        return packets.span.extracting(packets.count - count..<packets.count).equals(packet)
    }

    private mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        packets.removeAll(keepingCapacity: true)
        isInSection = false
    }

    /// Appends bytes of consecutive sections, which end at 0xFF in place of a table_id (2.4.4.1).
    private mutating func append(_ span: Span<UInt8>, _ range: Range<Int>, into output: inout Output) {
        var position = range.lowerBound
        while position < range.upperBound {
            if bytes.isEmpty, span[position] == 0xFF {
                isInSection = false
                return
            }
            let needed = bytes.count < 3 ? 3 : declaredByteCount
            let count = min(needed - bytes.count, range.upperBound - position)
            bytes.append(span.extracting(position..<position + count))
            position += count
            guard bytes.count >= 3 else { return }
            if declaredByteCount > (isMapSection ? Self.maximumByteCount : Self.maximumPrivateByteCount) {
                output.brokenCount += 1
                isInSection = false
                return
            }
            guard bytes.count == declaredByteCount else { continue }
            if isMapSection {
                if bytes.count >= 12, CRC32MPEG2.of(bytes.span) == 0 {
                    output.sections.append(Section(bytes: bytes, packets: packets))
                } else {
                    output.brokenCount += 1
                }
            }
            bytes.removeAll(keepingCapacity: true)
        }
    }

    /// Whether the section is part of a PAT or PMT; others are private and may lack a CRC.
    private var isMapSection: Bool { bytes[0] == 0x00 || bytes[0] == 0x02 }

    private var declaredByteCount: Int { 3 + Int(bytes.span.bigEndianUInt16(at: 1) & 0x0FFF) }
}
