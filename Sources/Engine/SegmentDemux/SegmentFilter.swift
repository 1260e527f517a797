internal import TimedMedia

/// Takes in the bytes of one segment, on any thread, and keeps what matters.
///
/// Filters know nothing of each other, so several segments can be read at once; a `SegmentDemuxer` then takes
/// what they kept in the segments' order, and gives what feeding it the bytes would give.
///
///     var filter = SegmentFilter()
///     filter.feed(bytes.span)
///     if let segment = filter.finish() {
///         let demuxed = try demuxer.demux(segment)
///     } else {
///         // Read the segment again in its turn: demuxer.beginSegment, feed, endSegment.
///     }
///
/// A filter holds at most `maximumByteCount` beside the chunk that it is given, whatever the segment's length.
package struct SegmentFilter: ~Copyable, Sendable {
    private var probe: ContainerProbe
    /// The filter of the container; nil while the bytes have not told which it is.
    private var container: (any ContainerFilter)?
    /// How many bytes came that are of no known container.
    private var unknownByteCount: UInt64 = 0
    private let limits: DemuxLimits
    /// The program map of the segments before; nil for a segment that is read without them.
    private let earlierMap: ProgramMap?

    /// How many bytes a segment that is read without those before it may keep; one in which more matters is
    /// read in its turn, where what was kept is demuxed in parts.
    static let maximumByteCount = 256 << 10

    /// A filter for one segment, with the limits of the demuxer that it is for.
    package init(limits: DemuxLimits = .init()) { self.init(earlierMap: nil, limits: limits) }

    /// A filter for a segment that is read in its turn, after those that said `earlierMap`.
    init(earlierMap: ProgramMap?, limits: DemuxLimits) {
        self.earlierMap = earlierMap
        self.limits = limits
        probe = ContainerProbe(limit: limits.maximumFrontByteCount)
    }

    /// Whether the segment has to be fed to the demuxer in its turn.
    ///
    /// Feeding more does not change that.
    /// Two kinds of segment are: a transport stream in which media stands before PAT and PMT, as only the
    /// segments before it tell what the packets are; and one of which more would be kept than a filter may hold.
    /// Mostly the first kilobytes show it.
    package var mustBeReadInOrder: Bool {
        guard earlierMap == nil else { return false }
        return container?.needsEarlierSegments == true || heldByteCount > Self.maximumByteCount
    }

    private var heldByteCount: Int {
        guard let container else { return probe.byteCount }
        return container.passedByteCount + container.pendingByteCount
    }

    /// Takes bytes of the segment, in chunks of any size.
    package mutating func feed(_ chunk: Span<UInt8>) {
        guard !chunk.isEmpty, !mustBeReadInOrder else { return }
        if container != nil {
            container?.feed(chunk)
            return
        }
        guard !probe.isUnknown else {
            unknownByteCount += UInt64(chunk.count)
            return
        }
        // The first chunk mostly tells, and is not copied then.
        if probe.isEmpty, let answer = ContainerProbe.decide(chunk, isEnd: false, limit: probe.limit) {
            begin(answer, chunk)
            return
        }
        probe.append(chunk)
        if let answer = probe.decide(isEnd: false) { begin(answer, probe.drainBytes().span) }
    }

    /// How many of the bytes that come next need not be fed, because nothing in them matters.
    package var skippableByteCount: UInt64 { container?.skippableByteCount ?? 0 }

    /// Says that so many bytes, at most `skippableByteCount`, were skipped.
    package mutating func skip(_ count: UInt64) {
        precondition(count <= skippableByteCount, "more skipped than skippable")
        container?.skip(count)
    }

    /// Ends the segment; nil where it must be read in order.
    package consuming func finish() -> FilteredSegment? {
        // The end of the bytes can show that the segment needs those before it.
        if mustBeReadInOrder { return nil }
        let content = finishContent()
        return mustBeReadInOrder ? nil : FilteredSegment(content: content)
    }

    private mutating func begin(_ answer: ContainerProbe.Answer, _ bytes: Span<UInt8>) {
        switch answer {
        case .transportStream:
            container = TransportStreamFilter(map: earlierMap ?? ProgramMap(), limits: limits)
        case .fragmentedMP4: container = FragmentedMP4Filter(limits: limits)
        case .packedAudio: container = PackedAudioFilter(limits: limits)
        case .unknown:
            probe.isUnknown = true
            unknownByteCount += UInt64(bytes.count)
        }
        container?.feed(bytes)
    }
}

// MARK: - Reading in order

extension SegmentFilter {
    /// How many bytes wait to be taken with `drainContent`.
    var passedByteCount: Int { container?.passedByteCount ?? 0 }

    /// Takes out what was passed so far; nil while the container is not known.
    mutating func drainContent() -> FilteredSegment.Content? { container?.drainContent() }

    /// Ends the segment: what was passed and not taken out.
    mutating func finishContent() -> FilteredSegment.Content {
        if container == nil, !probe.isUnknown, let answer = probe.decide(isEnd: true) {
            begin(answer, probe.drainBytes().span)
        }
        return container?.finishContent() ?? .unknown(byteCount: unknownByteCount)
    }
}
