import ByteReading
internal import ID3v2

/// Reads the PAT and PMTs from the packets and keeps the program map up to date.
struct ProgramMapReader: Sendable {
    /// The current map, which may be incomplete.
    private(set) var map: ProgramMap

    /// The number of sections with a wrong checksum or inconsistent lengths since `drainBrokenCount` was called.
    private(set) var brokenCount = 0

    private let maximumProgramCount: Int
    private var pat = TableRepetition()
    /// The PMTs, keyed by PID.
    private var pmts: [UInt16: TableRepetition] = [:]
    private var pendingPAT: PendingPAT?
    private var hasSeenPAT = false
    private var seenPrograms: Set<UInt16> = []

    /// A PAT with missing sections.
    private struct PendingPAT {
        let version: UInt8
        let lastNumber: UInt8
        var sections: [UInt8: SectionAssembler.Section] = [:]
    }

    /// Creates a reader that starts with `map`.
    init(map: ProgramMap, maximumProgramCount: Int) {
        self.map = map
        self.maximumProgramCount = maximumProgramCount
        followPMTPIDs()
    }

    /// Whether the reader has seen the PAT and all the PMTs that it lists.
    var hasSeenAll: Bool {
        hasSeenPAT && map.programs.allSatisfy { seenPrograms.contains($0.number) }
    }

    /// Whether the bytes of a section are incomplete.
    var isInsideSection: Bool { pat.isInsideSection || pmts.values.contains(where: \.isInsideSection) }

    /// Returns whether packets of this PID carry a PAT or PMT.
    func reads(_ pid: UInt16) -> Bool { pid == 0 || pmts[pid] != nil }

    /// The PIDs of the PMTs.
    var pmtPIDs: [UInt16] { Array(pmts.keys) }

    /// Reads a packet for whose PID `reads` is true, and returns the table packets that changed the map.
    mutating func add(_ packet: TransportPacket, in bytes: Span<UInt8>, at offset: Int) -> [UInt8] {
        let isPAT = packet.pid == 0
        let output =
            isPAT
            ? pat.add(packet, in: bytes, at: offset)
            : pmts[packet.pid]?.add(packet, in: bytes, at: offset)
        guard let output else { return [] }
        let brokenBefore = brokenCount
        brokenCount += output.brokenCount
        var newPackets: [UInt8] = []
        for section in output.sections {
            newPackets += isPAT ? readPAT(section) : readPMT(section, pid: packet.pid)
        }
        guard newPackets.isEmpty, brokenCount == brokenBefore, !output.sections.isEmpty else {
            return newPackets
        }
        if isPAT {
            pat.remember(bytes, at: offset)
        } else {
            pmts[packet.pid]?.remember(bytes, at: offset)
        }
        return []
    }

    /// Returns and resets the number of broken sections.
    mutating func drainBrokenCount() -> Int {
        defer { brokenCount = 0 }
        return brokenCount
    }

    /// Reads a section of the PAT (2.4.4.3); the map changes when all sections have arrived.
    private mutating func readPAT(_ section: SectionAssembler.Section) -> [UInt8] {
        let bytes = section.bytes.span
        // table_id 0, with current_next_indicator set: the section is in force.
        guard bytes[0] == 0x00, bytes[5] & 0x01 == 1, bytes[6] <= bytes[7] else { return [] }
        let version = bytes[5] >> 1 & 0x1F
        if pendingPAT?.version != version || pendingPAT?.lastNumber != bytes[7] {
            pendingPAT = PendingPAT(version: version, lastNumber: bytes[7])
        }
        pendingPAT?.sections[bytes[6]] = section
        guard let pending = pendingPAT, pending.sections.count == Int(pending.lastNumber) + 1 else {
            return []
        }
        pendingPAT = nil
        hasSeenPAT = true
        let sections = pending.sections.sorted { $0.key < $1.key }.map(\.value)
        let checksums = sections.map { $0.bytes.span.bigEndianUInt32(at: $0.bytes.count - 4) }
        guard checksums != map.patChecksums else { return [] }
        var programs: [ProgramMap.Entry] = []
        for section in sections {
            let bytes = section.bytes.span
            var position = 8
            while bytes.count - 4 - position >= 4, programs.count < maximumProgramCount {
                let number = bytes.bigEndianUInt16(at: position)
                let pid = bytes.bigEndianUInt16(at: position + 2) & 0x1FFF
                position += 4
                // Program number 0 is the network PID.
                guard number != 0, pid != 0, pid != TransportPacket.nullPID else { continue }
                let known = map.programs.first { $0.number == number && $0.pmtPID == pid }
                programs.append(known ?? ProgramMap.Entry(number: number, pmtPID: pid))
            }
        }
        map.programs = programs
        map.patChecksums = checksums
        map.patPackets = sections.flatMap(\.packets)
        followPMTPIDs()
        return map.patPackets
    }

    /// Reads a section on a PMT's PID (2.4.4.8), which may carry the PMTs of several programs.
    private mutating func readPMT(_ section: SectionAssembler.Section, pid: UInt16) -> [UInt8] {
        let bytes = section.bytes.span
        guard bytes[0] == 0x02, bytes[5] & 0x01 == 1 else { return [] }
        let number = bytes.bigEndianUInt16(at: 3)
        guard let index = map.programs.firstIndex(where: { $0.number == number && $0.pmtPID == pid }) else {
            return []
        }
        guard let pmt = ProgramMapTable(section: bytes, packets: section.packets) else {
            brokenCount += 1
            return []
        }
        seenPrograms.insert(number)
        guard pmt.checksum != map.programs[index].pmt?.checksum else { return [] }
        map.programs[index].pmt = pmt
        return section.packets
    }

    /// Updates the set of PMT PIDs to those in the map.
    private mutating func followPMTPIDs() {
        var read: [UInt16: TableRepetition] = [:]
        for program in map.programs {
            read[program.pmtPID] = pmts[program.pmtPID] ?? TableRepetition()
            // A repeated PMT may be new to the changed set of programs.
            read[program.pmtPID]?.forget()
        }
        pmts = read
    }
}

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
