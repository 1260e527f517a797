internal import TimedMedia

/// The timed ID3 of a transport stream, segment by segment.
///
/// Two stages: a packet filter takes in the bytes while they arrive; what it lets through is demuxed in the
/// order of the segments, by libavformat and by gathering the payload along each PID. libavformat says which
/// PES packets there are and what their PTS is; the gathered payload has the bytes that it drops.
struct TransportStreamDemuxer: ContainerDemuxer, ~Copyable {
    private let limits: DemuxLimits
    private var library = LibAVTransportDemuxer()
    /// Whether libavformat missed a change of the program map, because nothing had to be demuxed then.
    private var isLibraryBehind = true
    private var gatherers: [UInt16: PESGatherer] = [:]
    private var cells: [UInt16: AccessUnitCells] = [:]
    private var assemblers: [UInt16: TagAssembler] = [:]
    /// The PTS of each PES packet that is open, by PID.
    private var openTimes: [UInt16: OpenTime] = [:]
    private var lastMediaTimes: [UInt16: UInt64] = [:]
    private var packetCount = 0
    private var segmentIndex = 0
    /// The program map in force after the last segment.
    private(set) var map = ProgramMap()
    private var segment = DemuxedSegment()
    private var tagByteCount = 0

    private struct OpenTime {
        let start: PacketReference
        let time: MediaTimestamp?
    }

    /// How many streams libavformat may collect before it is started anew.
    private static let maximumLibraryEntryCount = 256

    init(limits: DemuxLimits = DemuxLimits()) {
        self.limits = limits
    }

    func makeFilter() -> TransportStreamFilter { TransportStreamFilter(map: map, limits: limits) }

    mutating func beginSegment(index: Int, isDiscontinuous: Bool) {
        segmentIndex = index
        segment = DemuxedSegment()
        tagByteCount = 0
        if isDiscontinuous { segment.tags = finish() }
    }

    mutating func endSegment(_ last: FilteredPackets) throws(DemuxError) -> DemuxedSegment {
        let found = segment.facts
        segment.facts = last.facts
        segment.facts.merge(found)
        try demux(last)
        lastMediaTimes.merge(last.lastMediaTimes) { $1 }
        defer { segment = DemuxedSegment() }
        return segment
    }

    /// Gives, as partial ones, the tags that began and never ended.
    mutating func finish() -> [TimedMetadata] {
        var yield = TagYield()
        for pid in assemblers.keys.sorted() { assemblers[pid]?.close(into: &yield) }
        segment.facts.incompletePESCount += yield.incompleteCount
        gatherers = [:]
        cells = [:]
        assemblers = [:]
        openTimes = [:]
        lastMediaTimes = [:]
        library = LibAVTransportDemuxer(position: library.position)
        isLibraryBehind = true
        return yield.tags
    }

    mutating func demux(_ part: FilteredPackets) throws(DemuxError) {
        map = part.mapAtEnd
        takeFront(part.front)
        guard part.hasMetadata else {
            // libavformat is not bothered with tables alone.
            if !part.entries.isEmpty { isLibraryBehind = true }
            return
        }
        if library.hasGivenUp || library.entryCount > Self.maximumLibraryEntryCount {
            library = LibAVTransportDemuxer(position: library.position)
            isLibraryBehind = true
        }
        let prelude = isLibraryBehind ? Self.nullPacket + part.mapAtStart.packets : []
        let base = library.position + prelude.count
        let reports = try library.run(prelude + part.packets, offset: Int(segment.facts.byteCount))
        isLibraryBehind = false
        gather(part, base: base, LibraryReports(reports))
    }

    /// The tags before the first packet: their time is what an Apple timestamp among them says.
    private mutating func takeFront(_ front: SegmentFront) {
        var time: UInt64?
        for tag in front.tags where time == nil {
            time = TransportStreamTimestamp.read(tag: front.bytes.span.extracting(tag.range))
        }
        for tag in front.tags where !tag.range.isEmpty {
            let isWhole = tag.range.count == tag.declaredByteCount
            keep(
                TimedMetadata(
                    bytes: front.bytes.span.copy(tag.range), time: time.map { MediaTimestamp(pts: $0) },
                    carriage: .segmentFront, segmentIndex: segmentIndex, offset: tag.range.lowerBound,
                    completeness: isWhole ? .whole : .partial(expected: tag.declaredByteCount)))
        }
    }

    /// Gathers the payload along each PID, and compares it with what libavformat reports.
    private mutating func gather(_ part: FilteredPackets, base: Int, _ reports: LibraryReports) {
        let bytes = part.packets.span
        var comparisons: [UInt16: PayloadComparison] = [:]
        var pids: [UInt16] = []
        for (index, entry) in part.entries.enumerated() where entry.content != .programMap {
            if !pids.contains(entry.pid) { pids.append(entry.pid) }
            let position = index * TransportPacket.byteCount
            let packet = TransportPacket(bytes, at: position)
            let reference = PacketReference(
                number: base + position, segmentIndex: segmentIndex, offset: entry.offset,
                precedingMediaTime: entry.precedingMediaTime
                    ?? entry.programNumber.flatMap { lastMediaTimes[$0] })
            var yield = PESGatherer.Yield()
            gatherers[entry.pid, default: PESGatherer()].add(
                bytes, position + packet.payloadStart..<position + TransportPacket.byteCount,
                startsUnit: packet.startsUnit, followsLoss: entry.followsLoss, from: reference, into: &yield)
            take(yield, entry, reports, &comparisons[entry.pid, default: PayloadComparison()])
        }
        for pid in pids {
            var yield = PESGatherer.Yield()
            gatherers[pid]?.flush(into: &yield)
            let isDeclared = part.entries.contains { $0.pid == pid && $0.content == .metadata }
            let entry = FilteredPacket(
                pid: pid, offset: 0, content: isDeclared ? .metadata : .candidate, followsLoss: false,
                precedingMediaTime: nil, programNumber: nil)
            take(yield, entry, reports, &comparisons[pid, default: PayloadComparison()])
            judge(comparisons[pid]?.finish(), reports)
        }
        if assemblers.values.reduce(0, { $0 + $1.openByteCount }) > limits.maximumOpenTagByteCount {
            closeTags()
        }
    }

    /// Gives up the tags that are open, so that those on many PIDs together stay within their limit.
    private mutating func closeTags() {
        var yield = TagYield()
        for pid in assemblers.keys.sorted() { assemblers[pid]?.close(into: &yield) }
        keep(yield)
    }

    /// Hands the parts of PES packets on to the PID's tag assembler.
    private mutating func take(
        _ yield: PESGatherer.Yield, _ entry: FilteredPacket, _ reports: LibraryReports,
        _ comparison: inout PayloadComparison
    ) {
        let isDeclared = entry.content == .metadata
        if isDeclared {
            segment.facts.metadataPESCount += yield.startCount
            if let rule = yield.brokenRule {
                segment.facts.malformed.append(
                    .init(offset: entry.offset, length: TransportPacket.byteCount, rule: rule))
            }
        }
        for part in yield.parts {
            if let ended = comparison.add(part) { judge(ended, reports) }
            let time = time(of: part, pid: entry.pid, isDeclared: isDeclared, reports)
            var found = TagYield()
            var assembler =
                assemblers[entry.pid]
                ?? TagAssembler(pid: entry.pid, maximumTagByteCount: limits.maximumTagByteCount)
            let content = cells[entry.pid, default: AccessUnitCells()].strip(
                part, isTagOpen: assembler.isOpen)
            if isDeclared || assembler.isOpen || content.beginsWithTag {
                assembler.add(content, time: time, into: &found)
            }
            assemblers[entry.pid] = assembler
            keep(found)
        }
    }

    /// The PTS of the PES packet that a part belongs to: libavformat's, or the header's where it has none.
    private mutating func time(
        of part: PESPart, pid: UInt16, isDeclared: Bool, _ reports: LibraryReports
    ) -> MediaTimestamp? {
        if let open = openTimes[pid], open.start == part.start { return open.time }
        let report = reports[part.start.number]
        if report == nil, isDeclared, !part.bytes.isEmpty { segment.facts.unreportedPESCount += 1 }
        let time = (report.map(\.pts) ?? part.header.pts).map { MediaTimestamp(pts: $0) }
        openTimes[pid] = OpenTime(start: part.start, time: time)
        return time
    }

    /// Reports a PES packet of which libavformat gave other bytes than stand in the stream.
    private mutating func judge(_ payload: PayloadComparison.Payload?, _ reports: LibraryReports) {
        guard let payload, let report = reports[payload.start.number], !payload.agrees(with: report.data)
        else {
            return
        }
        segment.facts.malformed.append(
            .init(
                offset: payload.start.segmentIndex == segmentIndex ? payload.start.offset : 0,
                length: payload.bytes.count, rule: "pes.payload-differs"))
    }

    /// Keeps what a tag assembler found.
    private mutating func keep(_ found: TagYield) {
        for tag in found.tags { keep(tag) }
        segment.facts.incompletePESCount += found.incompleteCount
        segment.facts.missingPTSCount += found.missingPTSCount
        for malformed in found.malformed where malformed.packet.segmentIndex == segmentIndex {
            segment.facts.malformed.append(
                .init(offset: malformed.packet.offset, length: malformed.length, rule: malformed.rule))
        }
    }

    /// Keeps a tag, while the segment's tags stay within their limit.
    private mutating func keep(_ tag: TimedMetadata) {
        let byteCount = tag.bytes.count + DemuxLimits.tagOverheadByteCount
        guard tagByteCount + byteCount <= limits.maximumSegmentTagByteCount else {
            segment.facts.malformed.append(
                .init(offset: tag.offset, length: tag.bytes.count, rule: "segment.tags-too-long"))
            return
        }
        tagByteCount += byteCount
        segment.tags.append(tag)
    }

    /// A packet that carries nothing: so the library has something to open on when there are no tables.
    private static let nullPacket: [UInt8] =
        [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: TransportPacket.byteCount - 4)
}

extension CarriageFacts {
    /// Adds what demuxing found before the filter had finished.
    mutating func merge(_ other: CarriageFacts) {
        incompletePESCount += other.incompletePESCount
        missingPTSCount += other.missingPTSCount
        metadataPESCount += other.metadataPESCount
        unreportedPESCount += other.unreportedPESCount
        malformed.append(contentsOf: other.malformed)
    }
}
