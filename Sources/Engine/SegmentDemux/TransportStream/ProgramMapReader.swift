import ByteReading
internal import TimedMedia

/// Reads the PAT and the PMTs while packets go by, and keeps the program map up to date.
struct ProgramMapReader: Sendable {
    /// The map as far as it is known.
    private(set) var map: ProgramMap

    /// Sections with a wrong checksum or contradicting lengths since the last call of `takeBrokenCount`.
    private(set) var brokenCount = 0

    private let maximumProgramCount: Int
    private var association = TableRepetition()
    private var definitions: [UInt16: TableRepetition] = [:]
    private var pendingAssociation: PendingAssociation?
    private var hasSeenAssociation = false
    private var seenPrograms: Set<UInt16> = []

    /// The sections of a PAT that is coming in.
    private struct PendingAssociation {
        let version: UInt8
        let lastNumber: UInt8
        var sections: [UInt8: SectionAssembler.Section] = [:]
    }

    /// A reader that takes `map` for true until the stream says otherwise.
    init(map: ProgramMap, maximumProgramCount: Int) {
        self.map = map
        self.maximumProgramCount = maximumProgramCount
        listenForDefinitions()
    }

    /// Whether the PAT and all the PMTs that it names came by since the reader was made.
    var hasSeenAll: Bool {
        hasSeenAssociation && map.programs.allSatisfy { seenPrograms.contains($0.number) }
    }

    /// Whether packets of this PID carry a PAT or PMT.
    func reads(_ pid: UInt16) -> Bool { pid == 0 || definitions[pid] != nil }

    /// The PIDs of the PMTs.
    var mapPIDs: [UInt16] { Array(definitions.keys) }

    /// Takes one packet of a PID that `reads` is true of, and tells which packets brought something new.
    ///
    /// Empty where the map stayed as it was.
    mutating func add(_ packet: TransportPacket, in bytes: Span<UInt8>, at offset: Int) -> [UInt8] {
        let isAssociation = packet.pid == 0
        let yield =
            isAssociation
            ? association.add(packet, in: bytes, at: offset)
            : definitions[packet.pid]?.add(packet, in: bytes, at: offset)
        guard let yield else { return [] }
        let brokenBefore = brokenCount
        brokenCount += yield.brokenCount
        var news: [UInt8] = []
        for section in yield.sections {
            news += isAssociation ? takeAssociation(section) : takeDefinition(section, pid: packet.pid)
        }
        guard news.isEmpty, brokenCount == brokenBefore, !yield.sections.isEmpty else { return news }
        if isAssociation {
            association.settle(bytes, at: offset)
        } else {
            definitions[packet.pid]?.settle(bytes, at: offset)
        }
        return []
    }

    /// How many broken sections came since the last call.
    mutating func takeBrokenCount() -> Int {
        defer { brokenCount = 0 }
        return brokenCount
    }

    /// A section of the PAT (2.4.4.3): the map follows once all its sections are there.
    private mutating func takeAssociation(_ section: SectionAssembler.Section) -> [UInt8] {
        let bytes = section.bytes.span
        // table_id 0, and current_next_indicator says that it is in force.
        guard bytes[0] == 0x00, bytes[5] & 0x01 == 1, bytes[6] <= bytes[7] else { return [] }
        let version = bytes[5] >> 1 & 0x1F
        if pendingAssociation?.version != version || pendingAssociation?.lastNumber != bytes[7] {
            pendingAssociation = PendingAssociation(version: version, lastNumber: bytes[7])
        }
        pendingAssociation?.sections[bytes[6]] = section
        guard let pending = pendingAssociation, pending.sections.count == Int(pending.lastNumber) + 1 else {
            return []
        }
        pendingAssociation = nil
        hasSeenAssociation = true
        let sections = pending.sections.sorted { $0.key < $1.key }.map(\.value)
        let checksums = sections.map { $0.bytes.span.bigEndianUInt32(at: $0.bytes.count - 4) }
        guard checksums != map.associationChecksums else { return [] }
        var programs: [ProgramMap.Program] = []
        for section in sections {
            let bytes = section.bytes.span
            var position = 8
            while bytes.count - 4 - position >= 4, programs.count < maximumProgramCount {
                let number = bytes.bigEndianUInt16(at: position)
                let pid = bytes.bigEndianUInt16(at: position + 2) & 0x1FFF
                position += 4
                // Programme 0 is the network PID, no programme.
                guard number != 0, pid != 0, pid != TransportPacket.nullPID else { continue }
                let known = map.programs.first { $0.number == number && $0.mapPID == pid }
                programs.append(known ?? ProgramMap.Program(number: number, mapPID: pid))
            }
        }
        map.programs = programs
        map.associationChecksums = checksums
        map.associationPackets = sections.flatMap(\.packets)
        listenForDefinitions()
        return map.associationPackets
    }

    /// A section on a PMT's PID: the definition of the programme that it names.
    private mutating func takeDefinition(_ section: SectionAssembler.Section, pid: UInt16) -> [UInt8] {
        let bytes = section.bytes.span
        guard bytes[0] == 0x02, bytes[5] & 0x01 == 1 else { return [] }
        let number = bytes.bigEndianUInt16(at: 3)
        guard let index = map.programs.firstIndex(where: { $0.number == number && $0.mapPID == pid }) else {
            return []
        }
        guard let definition = ProgramDefinition(section: bytes, packets: section.packets) else {
            brokenCount += 1
            return []
        }
        seenPrograms.insert(number)
        guard definition.checksum != map.programs[index].definition?.checksum else { return [] }
        map.programs[index].definition = definition
        return section.packets
    }

    /// Listens on the PIDs of the map's PMTs, and no longer on others.
    private mutating func listenForDefinitions() {
        var listening: [UInt16: TableRepetition] = [:]
        for program in map.programs {
            listening[program.mapPID] = definitions[program.mapPID] ?? TableRepetition()
            // A definition that said nothing new to the programmes of before may do so to these.
            listening[program.mapPID]?.unsettle()
        }
        definitions = listening
    }
}
