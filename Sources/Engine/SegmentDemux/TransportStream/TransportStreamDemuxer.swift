import ByteReading
internal import ID3v2

/// Extracts the timed ID3 of transport stream segments.
///
/// The payload of each PID is reassembled from the packets of the filters, and each byte is mapped to its packet. With
/// a library, such as libavformat, the packets are read twice: the library reports the PES packets and their PTS, and
/// the two results are compared. The reassembled payload includes the bytes that libavformat drops.
struct TransportStreamDemuxer: ContainerDemuxer, ~Copyable {
    typealias Filter = TransportStreamFilter

    let limits: DemuxLimits
    private let makeLibrary: TransportLibraryFactory?
    /// The library that reads the packets as well; nil for none.
    private var library: (any TransportLibrary)?
    /// The number of packet bytes that were read without a library.
    private var position = 0
    /// Whether libavformat must read the tables again before the next packets.
    ///
    /// This is the case for a new instance, or if a table change was not passed on because there was nothing to demux.
    private var libraryNeedsTables = true
    private var reassemblers: [UInt16: PESReassembler] = [:]
    private var cells: [UInt16: AccessUnitCells] = [:]
    private var assemblers: [UInt16: TagAssembler] = [:]
    /// The PTS of each open PES packet, keyed by PID.
    private var openTimes: [UInt16: (start: PacketReference, time: MediaTimestamp?)] = [:]
    private var lastMediaTimes: [UInt16: UInt64] = [:]
    private var segmentIndex = 0
    /// The program map in force after the last segment.
    private(set) var map = ProgramMap()
    private var segment = DemuxedSegment()
    private var tagByteCount = 0

    /// The number of streams and programs in libavformat above which it is reopened.
    private static let maximumLibraryEntryCount = 256

    init(limits: DemuxLimits, library makeLibrary: TransportLibraryFactory?) {
        self.limits = limits
        self.makeLibrary = makeLibrary
        library = makeLibrary?(0)
    }

    mutating func beginSegment(index: Int, isDiscontinuous: Bool) {
        segmentIndex = index
        segment = DemuxedSegment()
        tagByteCount = 0
        if isDiscontinuous { segment.tags = finish() }
    }

    mutating func demux(_ part: FilteredPackets) throws(DemuxError) {
        map = part.mapAtEnd
        addFrontTags(part.front)
        guard part.hasMetadata else {
            // Tables alone do not justify a run of libavformat.
            if !part.entries.isEmpty { libraryNeedsTables = true }
            return
        }
        if let library, library.hasGivenUp || library.entryCount > Self.maximumLibraryEntryCount {
            releaseLibrary()
        }
        guard let library else {
            reassemble(part, base: position, LibraryReports([]))
            position += part.packets.count
            return
        }
        let prelude = libraryNeedsTables ? Self.nullPacket + part.mapAtStart.packets : []
        let base = library.position + prelude.count
        let reports = try library.run(prelude + part.packets, offset: Int(segment.facts.byteCount))
        libraryNeedsTables = false
        reassemble(part, base: base, LibraryReports(reports))
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

    /// The number of tags in the segment so far.
    var tagCount: Int { segment.tags.count }

    mutating func finish() -> [TimedMetadata] {
        var output = TagOutput()
        for pid in assemblers.keys.sorted() { assemblers[pid]?.close(into: &output) }
        segment.facts.truncatedPESCount += output.truncatedCount
        reassemblers = [:]
        cells = [:]
        assemblers = [:]
        openTimes = [:]
        lastMediaTimes = [:]
        releaseLibrary()
        return output.tags
    }

    /// Sets the program map in force, as if its tables preceded the next segment.
    mutating func restore(_ map: ProgramMap) {
        guard map != self.map else { return }
        self.map = map
        libraryNeedsTables = true
    }

    /// Frees the memory held by libavformat; the next run reopens it and supplies the tables.
    mutating func releaseLibrary() {
        library = makeLibrary?(library?.position ?? 0)
        libraryNeedsTables = true
    }

    /// Adds the tags before the first packet.
    ///
    /// Their time is that of an Apple timestamp among them.
    private mutating func addFrontTags(_ front: SegmentFront) {
        var time: UInt64?
        for tag in front.tags where time == nil {
            time = TransportStreamTimestamp.read(tag: front.bytes.span.extracting(tag.range))
        }
        for tag in front.tags where !tag.range.isEmpty {
            let isComplete = tag.range.count == tag.declaredByteCount
            add(
                TimedMetadata(
                    bytes: front.bytes.span.copy(tag.range), time: time.map { MediaTimestamp(pts: $0) },
                    carriage: .segmentFront, segmentIndex: segmentIndex, offset: tag.range.lowerBound,
                    completeness: isComplete ? .complete : .truncated(expected: tag.declaredByteCount)))
        }
    }

    /// Reassembles the payload of each PID, and compares it with the libavformat reports.
    private mutating func reassemble(_ part: FilteredPackets, base: Int, _ reports: LibraryReports) {
        let bytes = part.packets.span
        var comparisons: [UInt16: PayloadComparison] = [:]
        var pids: [UInt16] = []
        for (index, entry) in part.entries.enumerated() where entry.content != .tables {
            if !pids.contains(entry.pid) { pids.append(entry.pid) }
            let position = index * TransportPacket.byteCount
            let packet = TransportPacket(bytes, at: position)
            let reference = PacketReference(
                number: base + position, segmentIndex: segmentIndex, offset: entry.offset,
                precedingMediaTime: entry.precedingMediaTime
                    ?? entry.programNumber.flatMap { lastMediaTimes[$0] })
            var output = PESReassembler.Output()
            reassemblers[entry.pid, default: PESReassembler()].add(
                bytes, position + packet.payloadStart..<position + TransportPacket.byteCount,
                startsUnit: packet.startsUnit, followsDiscontinuity: entry.followsDiscontinuity,
                from: reference, into: &output)
            assembleTags(output, entry, reports, &comparisons[entry.pid, default: PayloadComparison()])
        }
        // libavformat flushes everything at the end of a run, so the fragments end here too.
        for pid in pids {
            var output = PESReassembler.Output()
            reassemblers[pid]?.flush(into: &output)
            let isDeclared = part.entries.contains { $0.pid == pid && $0.content == .metadata }
            let entry = FilteredPacket(
                pid: pid, offset: 0, content: isDeclared ? .metadata : .candidate,
                followsDiscontinuity: false,
                precedingMediaTime: nil, programNumber: nil)
            assembleTags(output, entry, reports, &comparisons[pid, default: PayloadComparison()])
            compare(comparisons[pid]?.finish(), reports)
        }
        if assemblers.values.reduce(0, { $0 + $1.openByteCount }) > limits.maximumOpenTagByteCount {
            closeTags()
        }
    }

    /// Truncates the open tags, to keep their total size over all PIDs within its limit.
    private mutating func closeTags() {
        var output = TagOutput()
        for pid in assemblers.keys.sorted() { assemblers[pid]?.close(into: &output) }
        add(output)
    }

    /// Adds the fragments of PES packets to the PID's tag assembler.
    private mutating func assembleTags(
        _ output: PESReassembler.Output, _ entry: FilteredPacket, _ reports: LibraryReports,
        _ comparison: inout PayloadComparison
    ) {
        let isDeclared = entry.content == .metadata
        if isDeclared {
            segment.facts.metadataPESCount += output.startCount
            if let rule = output.brokenRule {
                segment.facts.malformed.append(
                    .init(offset: entry.offset, length: TransportPacket.byteCount, rule: rule))
            }
        }
        for fragment in output.fragments {
            if let ended = comparison.add(fragment) { compare(ended, reports) }
            let time = time(of: fragment, pid: entry.pid, isDeclared: isDeclared, reports)
            var found = TagOutput()
            var assembler =
                assemblers[entry.pid]
                ?? TagAssembler(pid: entry.pid, maximumTagByteCount: limits.maximumTagByteCount)
            let content = cells[entry.pid, default: AccessUnitCells()].strip(
                fragment, isTagOpen: assembler.isOpen)
            if isDeclared || entry.programNumber != nil { assembler.isDeclared = isDeclared }
            // A stream that no PMT declares as ID3 counts only if a PES packet begins with a tag.
            if isDeclared || assembler.isOpen || content.beginsWithTag {
                assembler.add(content, time: time, into: &found)
            }
            assemblers[entry.pid] = assembler
            if !isDeclared { found.malformed.removeAll { $0.rule == .tagExpected } }
            add(found)
        }
    }

    /// Returns the PTS of the PES packet of a fragment, as reported by libavformat or else from the header.
    private mutating func time(
        of fragment: PESFragment, pid: UInt16, isDeclared: Bool, _ reports: LibraryReports
    ) -> MediaTimestamp? {
        if let open = openTimes[pid], open.start == fragment.start { return open.time }
        let report = reports[fragment.start.number]
        if library != nil, report == nil, isDeclared, !fragment.bytes.isEmpty {
            segment.facts.unreportedPESCount += 1
        }
        let time = (report.map(\.pts) ?? fragment.header.pts).map { MediaTimestamp(pts: $0) }
        openTimes[pid] = (fragment.start, time)
        return time
    }

    /// Reports a PES packet whose payload differs from that of libavformat.
    private mutating func compare(_ payload: PayloadComparison.Payload?, _ reports: LibraryReports) {
        guard let payload, let report = reports[payload.start.number], !payload.agrees(with: report.data)
        else {
            return
        }
        segment.facts.malformed.append(
            .init(
                offset: payload.start.segmentIndex == segmentIndex ? payload.start.offset : 0,
                length: payload.bytes.count, rule: .pesPayloadDiffers))
    }

    /// Adds the output of a tag assembler.
    private mutating func add(_ found: TagOutput) {
        for tag in found.tags { add(tag) }
        segment.facts.truncatedPESCount += found.truncatedCount
        segment.facts.missingPTSCount += found.missingPTSCount
        for malformed in found.malformed where malformed.packet.segmentIndex == segmentIndex {
            segment.facts.malformed.append(
                .init(
                    offset: malformed.packet.offset, length: malformed.length, rule: malformed.rule,
                    headlessOwner: malformed.headlessOwner))
        }
    }

    /// Adds a tag if the segment's tags stay within their limit.
    private mutating func add(_ tag: TimedMetadata) {
        let byteCount = tag.bytes.count + DemuxLimits.tagOverheadByteCount
        guard tagByteCount + byteCount <= limits.maximumSegmentTagByteCount else {
            segment.facts.malformed.append(
                .init(offset: tag.offset, length: tag.bytes.count, rule: .tagsTooLong))
            return
        }
        tagByteCount += byteCount
        segment.tags.append(tag)
    }

    /// A null packet that lets the library open when there are no tables.
    private static let nullPacket: [UInt8] =
        [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: TransportPacket.byteCount - 4)
}

extension CarriageFacts {
    /// Adds the facts from demuxing the earlier parts of the segment.
    mutating func merge(_ other: CarriageFacts) {
        truncatedPESCount += other.truncatedPESCount
        missingPTSCount += other.missingPTSCount
        metadataPESCount += other.metadataPESCount
        unreportedPESCount += other.unreportedPESCount
        malformed.append(contentsOf: other.malformed)
    }
}

/// A library that demuxes transport streams from memory, in successive runs.
///
/// It keeps the PAT and PMT between runs. The positions that it reports count the bytes of all runs.
package protocol TransportLibrary: AnyObject {
    /// The start of the next run, as a position in the sense of `TransportReport`.
    var position: Int { get }
    /// Whether the library failed in the last run, so that a new instance is required.
    var hasGivenUp: Bool { get }
    /// The number of streams and programs held by the library, which grows with every change of the tables.
    var entryCount: Int { get }
    /// Demuxes the bytes and flushes all data that the library buffered.
    func run(_ bytes: [UInt8], offset: Int) throws(DemuxError) -> [TransportReport]
}

/// Creates a library whose positions begin at a number.
package typealias TransportLibraryFactory = @Sendable (_ position: Int) -> any TransportLibrary

/// The output of a library for one PES packet, or for a piece of a long one.
package struct TransportReport {
    /// The position of the transport packet in which the PES packet begins, counted over the bytes of all runs.
    let position: Int
    let pts: UInt64?
    let data: [UInt8]

    /// Creates a report.
    package init(position: Int, pts: UInt64?, data: [UInt8]) {
        self.position = position
        self.pts = pts
        self.data = data
    }
}

/// The libavformat reports of one run, keyed by the start of their PES packets.
struct LibraryReports {
    struct Entry {
        var pts: UInt64?
        var data: [UInt8]
    }

    private var entries: [Int: Entry] = [:]

    /// Joins the pieces into which the library splits a long PES packet.
    init(_ reports: [TransportReport]) {
        for report in reports {
            if entries[report.position] == nil {
                entries[report.position] = Entry(pts: report.pts, data: report.data)
            } else {
                entries[report.position]?.data += report.data
            }
        }
    }

    subscript(position: Int) -> Entry? { entries[position] }
}

/// The payload of the PES packets of one PID, for comparison with the libavformat reports.
struct PayloadComparison {
    /// The number of payload bytes that libavformat 59 drops because it mistakes them for an access-unit header.
    static let droppedByteCount = 5

    struct Payload {
        let start: PacketReference
        var bytes: [UInt8]

        /// Returns whether the library's bytes match, apart from dropped leading bytes and trailing padding.
        func agrees(with data: [UInt8]) -> Bool {
            [0, PayloadComparison.droppedByteCount].contains { dropped in
                guard dropped <= bytes.count else { return data.isEmpty }
                let rest = bytes[dropped...]
                return data.count <= rest.count ? rest.starts(with: data) : data.starts(with: rest)
            }
        }
    }

    private var open: Payload?

    init() {}

    /// Adds a fragment, and returns the previous payload if the fragment begins a new PES packet.
    mutating func add(_ fragment: PESFragment) -> Payload? {
        if fragment.beginsPacket {
            let ended = open
            open = Payload(start: fragment.start, bytes: fragment.bytes)
            return ended
        }
        if open?.start == fragment.start { open?.bytes += fragment.bytes }
        return nil
    }

    /// Returns the last payload.
    mutating func finish() -> Payload? { open.take() }
}
