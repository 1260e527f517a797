import ID3v2
import NielsenID3
import StreamHealth

/// A stream of sample tags in segments of equal length, and the results of the checks.
struct StreamSample: Sendable {
    var tags: [TagSample]
    var segmentLength = 10.0
    var segmentCount: Int
    var policy = HealthPolicy()
    /// The segments that follow EXT-X-DISCONTINUITY.
    var discontinuities: Set<Int> = []
    /// The offsets of the PTS in seconds, by segment; each applies from its segment on.
    var jumps: [Int: Double] = [:]
    /// The segments that were not read.
    var unread: Set<Int> = []
    /// The PTS of the stream's start.
    var startPTS: UInt64 = 900_000
    /// Changes the facts of each segment, which are those of a valid transport stream.
    var facts: @Sendable (Int, inout CarriageFacts) -> Void = { _, _ in }
    var otherOwnerCount = 0

    /// Creates a stream of tags; without a length, it is as long as the tags need.
    init(_ tags: [TagSample], seconds: Double? = nil) {
        self.tags = tags
        let last = tags.map(\.position).max() ?? 0
        segmentCount = Int(((seconds ?? last + 1) / 10).rounded(.up))
    }

    func with(_ change: (inout StreamSample) -> Void) -> StreamSample {
        var stream = self
        change(&stream)
        return stream
    }

    /// Returns the index of the segment that delivers a tag.
    private func segment(of tag: TagSample) -> Int {
        min(tag.segment ?? Int(tag.position / segmentLength), segmentCount - 1)
    }

    private func jump(at segment: Int) -> Double {
        jumps.filter { $0.key <= segment }.max { $0.key < $1.key }?.value ?? 0
    }

    private func timestamp(_ seconds: Double) -> MediaTimestamp {
        MediaTimestamp(pts: startPTS &+ UInt64(bitPattern: Int64((seconds * 90_000).rounded())))
    }

    func observed(_ tag: TagSample, in segment: Int) throws -> TagOccurrence {
        let nielsen = try tag.decoded()
        let base = jump(at: segment)
        let isTransport = if case .transportStream = tag.carriage { true } else { false }
        let occurrence = TagOccurrence(
            tag: nielsen,
            origin: TagOrigin.recording(
                TagPlace(
                    source: "sample", segment: "seg\(segment).ts", mediaSequence: UInt64(segment),
                    programDateTime: tag.programDateTime)),
            time: tag.hasTime ? timestamp(tag.position + base + tag.shift) : nil,
            seconds: tag.hasTime ? Double(startPTS) / 90_000 + tag.position + base + tag.shift : nil,
            carriage: tag.carriage,
            transport: isTransport
                ? .init(
                    packetCount: tag.packetCount, fillsPackets: tag.fillsPackets, streamID: tag.streamID,
                    isDeclared: tag.isDeclared,
                    precedingMediaTime: tag.audio.map { timestamp(tag.position + base + $0) })
                : nil,
            isTruncated: tag.isTruncated, position: tag.position)
        return policy.tagPolicy.checked(occurrence)
    }

    func observed(segment index: Int) -> ObservedSegment {
        let position = Double(index) * segmentLength
        var facts: CarriageFacts?
        if !unread.contains(index) {
            var lawful = CarriageFacts()
            lawful.container = .transportStream(packetSize: 188)
            lawful.earliestMediaTime = timestamp(position + jump(at: index))
            lawful.latestMediaTime = timestamp(position + jump(at: index) + segmentLength - 0.02)
            lawful.programs = [.lawful]
            lawful.metadataPESCount = tags.count { segment(of: $0) == index }
            self.facts(index, &lawful)
            facts = lawful
        }
        return ObservedSegment(
            name: "seg\(index).ts", mediaSequence: UInt64(index), duration: segmentLength, position: position,
            isDiscontinuity: discontinuities.contains(index), facts: facts)
    }

    /// Returns the observations of the stream's segments in reading order, for the rendition with an index.
    func observations(rendition: Int = 0) throws -> [SegmentObservation] {
        try (0..<segmentCount).map { index in
            SegmentObservation(
                rendition: RenditionID(rendition), segment: observed(segment: index),
                tags: try tags.filter { segment(of: $0) == index }.map { try observed($0, in: index) },
                otherTagCount: otherOwnerCount, isLast: index == segmentCount - 1)
        }
    }

    /// Returns the verdict on the complete stream.
    func verdict() throws -> HealthVerdict {
        var checker = StreamChecker(source: "sample", policy: policy)
        for observation in try observations() { checker.observe(observation) }
        return checker.finish()
    }

    /// Returns the rows of the verdict on the stream.
    func outcomes() throws -> [CheckOutcome] { try verdict().outcomes }
}

extension CarriageFacts.Program {
    /// A program that declares timed ID3 correctly.
    static let lawful = program()

    static func program(
        pointer: Bool = true, descriptor: Bool = true, streamType: UInt8 = 0x15
    ) -> CarriageFacts.Program {
        .init(
            number: 1, pmtPID: 256, hasMetadataPointer: pointer,
            streams: [.init(pid: 258, streamType: streamType, hasMetadataDescriptor: descriptor)])
    }
}

extension [CheckOutcome] {
    /// The row of a check.
    subscript(id: CheckID) -> CheckOutcome {
        first { $0.id == id } ?? CheckOutcome(id: id, status: .notRun, reason: "no such row")
    }

    /// The checks with findings, including information, and their status.
    var hits: [CheckID: CheckStatus] {
        Dictionary(uniqueKeysWithValues: filter { $0.count > 0 }.map { ($0.id, $0.status) })
    }
}
