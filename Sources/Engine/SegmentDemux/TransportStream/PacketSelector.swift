import ByteReading
internal import ID3v2

/// Selects the packets of a segment that carry PAT, PMT or timed ID3, and reads the PTS of audio and video.
///
/// The program map identifies the packets. Until it is complete, packets of unknown PIDs are buffered. Most segments
/// start with their own tables, so few packets are buffered, and only briefly.
struct PacketSelector: Sendable {
    /// The packets and facts selected so far.
    private(set) var output = FilteredPackets()

    /// The packets that must be passed to `add`; all others have no effect.
    private(set) var pidFilter = PIDFilter()

    private let limits: DemuxLimits
    private var reader: ProgramMapReader
    private var pids = PIDTable()
    private var trackers: [UInt16: ContinuityTracker] = [:]
    /// The programs of the map, in the order in which they were first seen.
    private var programs: [TimedProgram] = []
    /// The index of each program in `programs`, keyed by program number.
    private var programIndices: [UInt16: Int] = [:]
    private var unmapped = UnmappedPackets()
    private var broadcastTables = BroadcastTables()
    /// Whether the segment's own tables are incomplete and no packet has required them yet.
    private var isWaitingForTables = true
    private var isOutOfOrder = false

    /// A program and the times of its media.
    private struct TimedProgram {
        let number: UInt16
        var clock: MediaClock
    }

    init(map: ProgramMap, limits: DemuxLimits) {
        self.limits = limits
        reader = ProgramMapReader(map: map, maximumProgramCount: limits.maximumProgramCount)
        output.mapAtStart = map
        updatePIDTable()
    }

    /// The size of the packets buffered until a map identifies them, in bytes.
    var unmappedByteCount: Int { unmapped.bytes.count }

    /// Whether the program map is complete, so that no packet waits for it.
    var isMapped: Bool { reader.map.isComplete }

    /// The longest time between the first and the last PTS of a program, in seconds.
    var mediaSeconds: Double {
        programs.compactMap { $0.clock.span }.map { $0.latest.seconds - $0.earliest.seconds }.max() ?? 0
    }

    /// Adds the packet at `position`, which begins with a sync byte.
    mutating func add(_ bytes: Span<UInt8>, at position: Int, segmentOffset: Int) {
        let packet = TransportPacket(bytes, at: position)
        let entry = pids[packet.pid]
        if case .tables = entry {
            readTables(packet, bytes, at: position, segmentOffset: segmentOffset)
            return
        }
        // PIDs 0x01 to 0x0F are reserved for tables, and only the PAT on PID 0 is relevant (table 2-3).
        guard packet.pid >= TransportPacket.firstFreePID, packet.pid != TransportPacket.nullPID else {
            return
        }
        if case .unknown = entry, broadcastTables.contains(packet, in: bytes, at: position) { return }
        if isWaitingForTables {
            // Only the map of the previous segments identifies this packet, so the result depends on it.
            isWaitingForTables = false
            output.needsEarlierMap = true
            updatePIDFilter()
        }
        guard case .stream(let stream) = entry else {
            let hasRoom = unmapped.append(
                bytes, at: position, segmentOffset: segmentOffset, limit: limits.maximumUnmappedByteCount)
            if !hasRoom, unmapped.isFull { updatePIDFilter() }
            return
        }
        select(packet, stream, bytes, at: position, segmentOffset: segmentOffset)
    }

    /// Adds to the number of bytes in the segment, including bytes outside packets.
    mutating func addToByteCount(_ count: Int) { output.facts.byteCount += UInt64(count) }

    /// Sets the tags before the first packet.
    mutating func setFront(_ front: SegmentFront) { output.front = front }

    /// Reports bytes that violate a rule.
    mutating func reportMalformed(_ range: Range<Int>, rule: MalformedRule) {
        output.facts.malformed.append(
            CarriageFacts.MalformedRange(offset: range.lowerBound, length: range.count, rule: rule))
    }

    /// Returns and clears the packets selected so far; the facts are returned once, with the last part.
    mutating func drainPassed() -> FilteredPackets {
        sortByOffset()
        var part = output
        part.mapAtEnd = reader.map
        part.facts = CarriageFacts()
        output.packets.removeAll(keepingCapacity: true)
        output.entries.removeAll(keepingCapacity: true)
        output.front = SegmentFront()
        output.mapAtStart = reader.map
        return part
    }

    /// Ends the segment, whose packets start `stride` bytes apart.
    ///
    /// `endsWithinPacket` is true if the bytes of an incomplete packet follow the last one.
    mutating func finish(stride: Int, endsWithinPacket: Bool = false) -> FilteredPackets {
        output.facts.isTruncated = endsWithinPacket || reader.isInsideSection
        if !reader.map.isComplete { selectUnmapped() }
        if unmapped.isFull {
            reportMalformed(
                unmapped.firstDroppedOffset..<unmapped.firstDroppedOffset, rule: .noProgramMap)
        }
        if isWaitingForTables, !reader.hasSeenAll { output.needsEarlierMap = true }
        sortByOffset()
        output.mapAtEnd = reader.map
        output.facts.container = .transportStream(packetSize: stride)
        output.facts.programs = reader.map.timedProgramFacts
        // Report the times of a program with timed ID3 if there is one, otherwise those of any program.
        let timed = output.facts.programs.map(\.number)
        let order = timed.compactMap { programIndices[$0] } + programs.indices
        let clock = order.map { programs[$0].clock }.first { $0.span != nil }
        output.facts.earliestMediaTime = clock?.span?.earliest
        output.facts.latestMediaTime = clock?.span?.latest
        output.facts.hasAudio = clock?.hasAudio
        for program in programs { output.lastMediaTimes[program.number] = program.clock.last }
        return output
    }
}

// MARK: - Tables

extension PacketSelector {
    private mutating func readTables(
        _ packet: TransportPacket, _ bytes: Span<UInt8>, at position: Int, segmentOffset: Int
    ) {
        if updateMap(packet, bytes, at: position, segmentOffset: segmentOffset) {
            updatePIDTable()
            replayUnmapped()
        }
        if isWaitingForTables, reader.hasSeenAll {
            isWaitingForTables = false
            updatePIDFilter()
        }
    }

    /// Reads a PAT or PMT packet, selects it if it changes the map, and returns whether it does.
    private mutating func updateMap(
        _ packet: TransportPacket, _ bytes: Span<UInt8>, at position: Int, segmentOffset: Int
    ) -> Bool {
        guard packet.isWellFormed, !packet.hasError, !packet.isScrambled else { return false }
        let newPackets = reader.add(packet, in: bytes, at: position)
        for _ in 0..<reader.drainBrokenCount() {
            reportMalformed(segmentOffset..<segmentOffset + TransportPacket.byteCount, rule: .section)
        }
        for start in stride(from: 0, to: newPackets.count, by: TransportPacket.byteCount) {
            let entry = FilteredPacket(
                pid: TransportPacket(newPackets.span, at: start).pid, offset: segmentOffset, content: .tables,
                followsDiscontinuity: false, precedingMediaTime: nil, programNumber: nil)
            append(entry, newPackets.span, at: start)
        }
        return !newPackets.isEmpty
    }

    /// Rebuilds the PID table from the map.
    private mutating func updatePIDTable() {
        pids.removeAll()
        for pid in reader.pmtPIDs { pids.addTables(pid) }
        // Streams that are declared as ID3 have room before those that may contain it.
        let declared = reader.map.programs.reduce(0) { $0 + ($1.pmt?.metadataStreamCount ?? 0) }
        var candidateRoom = limits.maximumMetadataStreamCount - declared
        var metadataRoom = limits.maximumMetadataStreamCount
        for program in reader.map.programs {
            guard let pmt = program.pmt else { continue }
            let index = index(of: program.number)
            programs[index].clock.hasAudio = pmt.hasAudio
            for stream in pmt.streams where pids.isFree(stream.pid) {
                switch stream.role {
                case .metadata:
                    metadataRoom -= 1
                    if metadataRoom < 0 { continue }
                case .candidate:
                    candidateRoom -= 1
                    if candidateRoom < 0 { continue }
                case .audio, .video, .other: break
                }
                pids.add(.init(pid: stream.pid, role: stream.role, program: index))
            }
        }
        updatePIDFilter()
    }

    /// Returns the index of a program in `programs`, appending it if it is new.
    private mutating func index(of number: UInt16) -> Int {
        if let index = programIndices[number] { return index }
        programIndices[number] = programs.count
        programs.append(TimedProgram(number: number, clock: MediaClock(hasAudio: false)))
        return programs.count - 1
    }

    private mutating func updatePIDFilter() {
        // While the map is incomplete, any packet can be relevant; the first one that is ends the wait for tables.
        let needsUnmapped = !reader.map.isComplete && !unmapped.isFull
        pidFilter.reset(to: needsUnmapped || isWaitingForTables ? PIDFilter.all : 0)
        if !isWaitingForTables {
            for stream in pids.streams {
                pidFilter[stream.pid] =
                    switch stream.role {
                    case .metadata, .candidate: PIDFilter.all
                    case .audio, .video: PIDFilter.starts
                    case .other: 0
                    }
            }
        }
        for pid in 0..<TransportPacket.firstFreePID { pidFilter[pid] = 0 }
        pidFilter[TransportPacket.nullPID] = 0
        pidFilter[0] = PIDFilter.all
        for pid in reader.pmtPIDs { pidFilter[pid] = PIDFilter.all }
    }
}

// MARK: - Streams

extension PacketSelector {
    private mutating func select(
        _ packet: TransportPacket, _ stream: PIDTable.Stream, _ bytes: Span<UInt8>, at position: Int,
        segmentOffset: Int
    ) {
        switch stream.role {
        case .other: return
        case .audio, .video:
            guard packet.startsUnit, packet.hasPayload, !packet.hasError else { return }
            let payload = position + packet.payloadStart..<position + TransportPacket.byteCount
            guard let pts = PESHeader.presentationTime(bytes, payload) else { return }
            programs[stream.program].clock.add(pts: pts, isAudio: stream.role == .audio)
        case .metadata, .candidate:
            let content: FilteredPacket.Content = stream.role == .metadata ? .metadata : .candidate
            select(
                packet, content, programs[stream.program], bytes, at: position, segmentOffset: segmentOffset)
        }
    }

    /// Selects a packet that carries or may carry timed ID3, unless it is damaged or a duplicate.
    private mutating func select(
        _ packet: TransportPacket, _ content: FilteredPacket.Content, _ program: TimedProgram?,
        _ bytes: Span<UInt8>, at position: Int, segmentOffset: Int
    ) {
        // A stream that is not declared as ID3 may carry other data, so errors are not reported for it.
        let isDeclared = content == .metadata
        let range = segmentOffset..<segmentOffset + TransportPacket.byteCount
        if packet.hasError || packet.isScrambled || !packet.isWellFormed {
            let rule: MalformedRule =
                packet.hasError ? .errorIndicator : packet.isScrambled ? .scrambled : .packetHeader
            if isDeclared { reportMalformed(range, rule: rule) }
            return
        }
        var followsDiscontinuity = false
        switch trackers[packet.pid, default: ContinuityTracker()].step(packet, in: bytes, at: position) {
        case .continues: break
        case .duplicates:
            if isDeclared { output.facts.repeatedPacketCount += 1 }
            return
        case .miscounts(let expected):
            if isDeclared { reportCounter(of: packet, expected: expected, segmentOffset: segmentOffset) }
        case .jumps(let expected):
            followsDiscontinuity = true
            if isDeclared { output.facts.lacksPackets = true }
            if isDeclared { reportCounter(of: packet, expected: expected, segmentOffset: segmentOffset) }
        }
        guard packet.hasPayload else { return }
        let entry = FilteredPacket(
            pid: packet.pid, offset: segmentOffset, content: content,
            followsDiscontinuity: followsDiscontinuity, precedingMediaTime: program?.clock.last,
            programNumber: program?.number)
        append(entry, bytes, at: position)
    }

    private mutating func reportCounter(of packet: TransportPacket, expected: UInt8, segmentOffset: Int) {
        output.facts.continuityErrors.append(
            CarriageFacts.ContinuityError(
                offset: segmentOffset, pid: packet.pid, expected: expected, found: packet.continuityCounter))
    }

    private mutating func append(_ entry: FilteredPacket, _ bytes: Span<UInt8>, at position: Int) {
        if let last = output.entries.last, last.offset > entry.offset { isOutOfOrder = true }
        output.entries.append(entry)
        output.packets.append(bytes.extracting(position..<position + TransportPacket.byteCount))
    }

    /// Moves packets that were buffered for a map to their position in the stream.
    private mutating func sortByOffset() {
        guard isOutOfOrder else { return }
        isOutOfOrder = false
        // The tables go first, because libavformat cannot interpret packets that precede them.
        let entries = output.entries
        func key(_ index: Int) -> (Int, Int) {
            entries[index].content == .tables ? (-1, index) : (entries[index].offset, index)
        }
        let order = entries.indices.sorted { key($0) < key($1) }
        let size = TransportPacket.byteCount
        output.packets = order.flatMap { output.packets[$0 * size..<($0 + 1) * size] }
        output.entries = order.map { output.entries[$0] }
    }
}

// MARK: - Packets that wait for a map

extension PacketSelector {
    /// Adds the packets buffered before the map changed, in their original order.
    ///
    /// They may include a PMT that preceded the PAT, so the tables are read first.
    private mutating func replayUnmapped() {
        guard !unmapped.isEmpty else { return }
        let waiting = unmapped.removeAll()
        let bytes = waiting.bytes.span
        var isTable = [Bool](repeating: false, count: waiting.offsets.count)
        var hasChanged = false
        for (index, offset) in waiting.offsets.enumerated() {
            let packet = TransportPacket(bytes, at: index * TransportPacket.byteCount)
            guard reader.reads(packet.pid) else { continue }
            isTable[index] = true
            let position = index * TransportPacket.byteCount
            hasChanged = updateMap(packet, bytes, at: position, segmentOffset: offset) || hasChanged
        }
        if hasChanged { updatePIDTable() }
        for (index, offset) in waiting.offsets.enumerated() where !isTable[index] {
            let position = index * TransportPacket.byteCount
            let packet = TransportPacket(bytes, at: position)
            if case .stream(let stream) = pids[packet.pid] {
                select(packet, stream, bytes, at: position, segmentOffset: offset)
            } else if !reader.map.isComplete {
                let limit = limits.maximumUnmappedByteCount
                _ = unmapped.append(bytes, at: position, segmentOffset: offset, limit: limit)
            }
        }
    }

    /// Selects, at the end of the segment, the packets that no map identifies, because their content may be ID3.
    private mutating func selectUnmapped() {
        let waiting = unmapped.removeAll()
        var pids: Set<UInt16> = []
        for (index, offset) in waiting.offsets.enumerated() {
            let position = index * TransportPacket.byteCount
            let packet = TransportPacket(waiting.bytes.span, at: position)
            // The demuxer has a buffer per PID, so the number of PIDs is limited.
            guard pids.contains(packet.pid) || pids.count < limits.maximumMetadataStreamCount else {
                continue
            }
            pids.insert(packet.pid)
            select(packet, .candidate, nil, waiting.bytes.span, at: position, segmentOffset: offset)
        }
    }
}
