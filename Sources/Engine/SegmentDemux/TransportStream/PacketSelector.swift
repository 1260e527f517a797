internal import TimedMedia

/// Decides for each packet of a segment, by the program map, whether it is let through.
struct PacketSelector: Sendable {
    /// What was let through so far.
    var output = FilteredPackets()

    /// Which packets must be handed to `route`.
    private(set) var interest = PIDFilter()

    private let limits: DemuxLimits
    private var reader: ProgramMapReader
    private var routes = PIDTable()
    private var trackers: [UInt16: ContinuityTracker] = [:]
    /// The programmes that the map defined, in the order in which they were first seen.
    private var programs: [TimedProgram] = []
    /// Where a programme stands in `programs`, by its number.
    private var programIndices: [UInt16: Int] = [:]
    private var unmapped = UnmappedPackets()
    /// Whether the segment's own tables are still to come, and no packet needed them yet.
    private var isWaitingForTables = true
    private var isOutOfOrder = false

    /// A programme, and what its media say of the time.
    private struct TimedProgram {
        let number: UInt16
        var clock: MediaClock
    }

    init(map: ProgramMap, limits: DemuxLimits) {
        self.limits = limits
        reader = ProgramMapReader(map: map, maximumProgramCount: limits.maximumProgramCount)
        output.mapAtStart = map
        followMap()
    }

    /// How many bytes of packets wait for a map that says what they are.
    var unmappedByteCount: Int { unmapped.bytes.count }

    /// Takes the packet at `position`, which begins with a sync byte.
    mutating func route(_ bytes: Span<UInt8>, at position: Int, segmentOffset: Int) {
        let packet = TransportPacket(bytes, at: position)
        let destination = routes[packet.pid]
        if case .tables = destination {
            readTables(packet, bytes, at: position, segmentOffset: segmentOffset)
            return
        }
        // 0x01...0x1F are tables, of which only the PAT matters here (table 2-3).
        guard packet.pid > 0x1F, packet.pid != TransportPacket.nullPID else { return }
        if isWaitingForTables {
            isWaitingForTables = false
            output.neededEarlierMap = true
            updateInterest()
        }
        guard case .stream(let stream) = destination else {
            let limit = limits.maximumUnmappedByteCount
            let isKept = unmapped.keep(bytes, at: position, segmentOffset: segmentOffset, limit: limit)
            if !isKept, unmapped.isFull { updateInterest() }
            return
        }
        take(packet, stream, bytes, at: position, segmentOffset: segmentOffset)
    }

    /// Notes bytes that break a rule.
    mutating func reportMalformed(_ range: Range<Int>, rule: String) {
        output.facts.malformed.append(
            CarriageFacts.MalformedRange(offset: range.lowerBound, length: range.count, rule: rule))
    }

    /// Takes what was let through so far; facts are given once, with the last part.
    mutating func takePassed() -> FilteredPackets {
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

    /// Ends the segment, whose packets lay `stride` bytes apart.
    mutating func finish(stride: Int) -> FilteredPackets {
        if !reader.map.isComplete { releaseUnmapped() }
        if unmapped.isFull {
            reportMalformed(
                unmapped.firstLostOffset..<unmapped.firstLostOffset, rule: "transport.no-program-map")
        }
        if isWaitingForTables, !reader.hasSeenAll { output.neededEarlierMap = true }
        sortByOffset()
        output.mapAtEnd = reader.map
        output.facts.container = .transportStream(packetSize: stride)
        output.facts.programs = reader.map.timedProgramFacts
        let timed = output.facts.programs.map(\.number)
        let order = timed.compactMap { programIndices[$0] } + programs.indices
        let clock = order.map { programs[$0].clock }.first { $0.span != nil }
        output.facts.earliestMediaTime = clock?.span?.earliest
        output.facts.latestMediaTime = clock?.span?.latest
        output.facts.hasAudio = clock?.hasAudio
        for program in programs { output.lastMediaTimes[program.number] = program.clock.last }
        return output
    }

    private mutating func readTables(
        _ packet: TransportPacket, _ bytes: Span<UInt8>, at position: Int, segmentOffset: Int
    ) {
        if addToTables(packet, bytes, at: position, segmentOffset: segmentOffset) {
            followMap()
            replayUnmapped()
        }
        if isWaitingForTables, reader.hasSeenAll {
            isWaitingForTables = false
            updateInterest()
        }
    }

    /// Hands a packet to the reader of the tables, and tells whether the map has changed by it.
    private mutating func addToTables(
        _ packet: TransportPacket, _ bytes: Span<UInt8>, at position: Int, segmentOffset: Int
    ) -> Bool {
        guard packet.isWellFormed, !packet.hasError, !packet.isScrambled else { return false }
        let news = reader.add(packet, in: bytes, at: position)
        for _ in 0..<reader.takeBrokenCount() {
            reportMalformed(segmentOffset..<segmentOffset + TransportPacket.byteCount, rule: "psi.section")
        }
        for start in stride(from: 0, to: news.count, by: TransportPacket.byteCount) {
            let entry = FilteredPacket(
                pid: TransportPacket(news.span, at: start).pid, offset: segmentOffset, content: .programMap,
                followsLoss: false, precedingMediaTime: nil, programNumber: nil)
            emit(entry, news.span, at: start)
        }
        return !news.isEmpty
    }

    /// Makes the routes anew after the map has changed.
    private mutating func followMap() {
        routes.removeAll()
        for pid in reader.mapPIDs { routes.addTables(pid) }
        var metadataCount = 0
        for program in reader.map.programs {
            guard let definition = program.definition else { continue }
            let index = index(of: program.number)
            programs[index].clock.hasAudio = definition.hasAudio
            for stream in definition.streams where routes.isFree(stream.pid) {
                if stream.role == .metadata || stream.role == .candidate {
                    metadataCount += 1
                    guard metadataCount <= limits.maximumMetadataStreamCount else { continue }
                }
                routes.add(.init(pid: stream.pid, role: stream.role, program: index))
            }
        }
        updateInterest()
    }

    /// Where a programme stands in `programs`: behind the others the first time.
    private mutating func index(of number: UInt16) -> Int {
        if let index = programIndices[number] { return index }
        programIndices[number] = programs.count
        programs.append(TimedProgram(number: number, clock: MediaClock(hasAudio: false)))
        return programs.count - 1
    }

    private mutating func updateInterest() {
        let keepsUnmapped = !reader.map.isComplete && !unmapped.isFull
        interest.reset(to: keepsUnmapped || isWaitingForTables ? PIDFilter.all : 0)
        if !isWaitingForTables {
            for stream in routes.streams {
                interest[stream.pid] =
                    switch stream.role {
                    case .metadata, .candidate: PIDFilter.all
                    case .audio, .video: PIDFilter.starts
                    case .other: 0
                    }
            }
        }
        for pid in 0...0x1F { interest[UInt16(pid)] = 0 }
        interest[TransportPacket.nullPID] = 0
        interest[0] = PIDFilter.all
        for pid in reader.mapPIDs { interest[pid] = PIDFilter.all }
    }

    private mutating func take(
        _ packet: TransportPacket, _ stream: PIDTable.Stream, _ bytes: Span<UInt8>, at position: Int,
        segmentOffset: Int
    ) {
        switch stream.role {
        case .other: return
        case .audio, .video:
            guard packet.startsUnit, packet.hasPayload, !packet.hasError else { return }
            let payload = position + packet.payloadStart..<position + TransportPacket.byteCount
            guard let pts = PESHeader.presentationTime(bytes, payload) else { return }
            programs[stream.program].clock.note(pts: pts, isAudio: stream.role == .audio)
        case .metadata, .candidate:
            let content: FilteredPacket.Content = stream.role == .metadata ? .metadata : .candidate
            letThrough(
                packet, content, programs[stream.program], bytes, at: position, segmentOffset: segmentOffset)
        }
    }

    /// Lets a packet through that carries, or may carry, timed ID3, unless it is damaged or a repeat.
    private mutating func letThrough(
        _ packet: TransportPacket, _ content: FilteredPacket.Content, _ program: TimedProgram?,
        _ bytes: Span<UInt8>, at position: Int, segmentOffset: Int
    ) {
        let isDeclared = content == .metadata
        let range = segmentOffset..<segmentOffset + TransportPacket.byteCount
        if packet.hasError || packet.isScrambled || !packet.isWellFormed {
            let rule =
                packet.hasError
                ? "transport.error-indicator"
                : packet.isScrambled ? "transport.scrambled" : "transport.header"
            if isDeclared { reportMalformed(range, rule: rule) }
            return
        }
        var followsLoss = false
        switch trackers[packet.pid, default: ContinuityTracker()].step(packet, in: bytes, at: position) {
        case .continues: break
        case .repeats:
            if isDeclared { output.facts.repeatedPacketCount += 1 }
            return
        case .jumps(let expected):
            followsLoss = true
            guard isDeclared else { break }
            output.facts.continuityErrors.append(
                CarriageFacts.ContinuityError(
                    offset: segmentOffset, pid: packet.pid, expected: expected,
                    found: packet.continuityCounter))
        }
        guard packet.hasPayload else { return }
        let entry = FilteredPacket(
            pid: packet.pid, offset: segmentOffset, content: content, followsLoss: followsLoss,
            precedingMediaTime: program?.clock.last, programNumber: program?.number)
        emit(entry, bytes, at: position)
    }

    private mutating func emit(_ entry: FilteredPacket, _ bytes: Span<UInt8>, at position: Int) {
        if let last = output.entries.last, last.offset > entry.offset { isOutOfOrder = true }
        output.entries.append(entry)
        output.packets.append(bytes.extracting(position..<position + TransportPacket.byteCount))
    }

    /// Routes again, in their order, the packets that came before the map that tells what they are.
    ///
    /// Among them may be a PMT that stood before the PAT, so the tables are read first.
    private mutating func replayUnmapped() {
        guard !unmapped.isEmpty else { return }
        let waiting = unmapped.takeAll()
        let bytes = waiting.bytes.span
        var isTable = [Bool](repeating: false, count: waiting.offsets.count)
        var hasNews = false
        for (index, offset) in waiting.offsets.enumerated() {
            let packet = TransportPacket(bytes, at: index * TransportPacket.byteCount)
            guard reader.reads(packet.pid) else { continue }
            isTable[index] = true
            let position = index * TransportPacket.byteCount
            hasNews = addToTables(packet, bytes, at: position, segmentOffset: offset) || hasNews
        }
        if hasNews { followMap() }
        for (index, offset) in waiting.offsets.enumerated() where !isTable[index] {
            let position = index * TransportPacket.byteCount
            let packet = TransportPacket(bytes, at: position)
            if case .stream(let stream) = routes[packet.pid] {
                take(packet, stream, bytes, at: position, segmentOffset: offset)
            } else if !reader.map.isComplete {
                let limit = limits.maximumUnmappedByteCount
                _ = unmapped.keep(bytes, at: position, segmentOffset: offset, limit: limit)
            }
        }
    }

    /// Lets everything through whose meaning the segment never told.
    private mutating func releaseUnmapped() {
        let waiting = unmapped.takeAll()
        var pids: Set<UInt16> = []
        for (index, offset) in waiting.offsets.enumerated() {
            let position = index * TransportPacket.byteCount
            let packet = TransportPacket(waiting.bytes.span, at: position)
            // The demuxer behind has a buffer for each PID.
            guard pids.contains(packet.pid) || pids.count < limits.maximumMetadataStreamCount else {
                continue
            }
            pids.insert(packet.pid)
            letThrough(packet, .candidate, nil, waiting.bytes.span, at: position, segmentOffset: offset)
        }
    }

    /// Puts packets that were let through late at their place in the stream.
    private mutating func sortByOffset() {
        guard isOutOfOrder else { return }
        isOutOfOrder = false
        // The tables go first: packets that came before them could not be understood otherwise.
        let entries = output.entries
        func key(_ index: Int) -> (Int, Int) {
            entries[index].content == .programMap ? (-1, index) : (entries[index].offset, index)
        }
        let order = entries.indices.sorted { key($0) < key($1) }
        let size = TransportPacket.byteCount
        output.packets = order.flatMap { output.packets[$0 * size..<($0 + 1) * size] }
        output.entries = order.map { output.entries[$0] }
    }
}
