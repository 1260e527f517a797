internal import ID3v2

/// Reads the bytes of one segment and keeps what is relevant for its timed metadata.
///
/// Filters are independent of each other and can run on any thread, so several segments can be read at once. A
/// `SegmentDemuxer` then processes their output in segment order, with the same result as feeding the bytes.
///
///     var filter = SegmentFilter()
///     filter.feed(bytes.span)
///     if let segment = filter.finish() {
///         let demuxed = try demuxer.demux(segment)
///     } else {
///         // Read the segment again in order: demuxer.beginSegment, feed, endSegment.
///     }
///
/// A filter holds at most `maximumByteCount` bytes besides the input chunk, whatever the segment's length.
package struct SegmentFilter: ~Copyable, Sendable {
    private var probe: ContainerProbe
    /// The filter of the container, or nil until the container is detected.
    private var container: (any ContainerFilter)?
    /// The number of bytes read from a segment in no known container.
    private var unknownByteCount: UInt64 = 0
    private let limits: DemuxLimits
    /// The program map of the previous segments, or nil if the segment is read independently of them.
    private let earlierMap: ProgramMap?

    /// The maximum number of bytes held for a segment that is read independently of the previous ones.
    ///
    /// A segment that needs more is read in order, and its filter output is then demuxed in parts.
    static let maximumByteCount = 256 << 10

    /// Creates a filter for one segment, with the limits of the demuxer that reads its output.
    package init(limits: DemuxLimits = .init()) { self.init(earlierMap: nil, limits: limits) }

    /// Creates a filter for a segment that is read in order, with the program map of the previous segments.
    init(earlierMap: ProgramMap?, limits: DemuxLimits) {
        self.earlierMap = earlierMap
        self.limits = limits
        probe = ContainerProbe(limit: limits.maximumFrontByteCount)
    }

    /// Whether the segment must be fed to the demuxer in order.
    ///
    /// Feeding more bytes never makes this false again. It is true for a transport stream with media before its PAT and
    /// PMT, because only the previous segments identify those packets. It is also true for a segment whose filter
    /// output exceeds `maximumByteCount`. The first kilobytes usually decide this.
    package var mustBeReadInOrder: Bool {
        guard earlierMap == nil else { return false }
        return container?.needsEarlierSegments == true || heldByteCount > Self.maximumByteCount
    }

    private var heldByteCount: Int {
        guard let container else { return probe.byteCount }
        return container.passedByteCount + container.pendingByteCount
    }

    /// Reads the next bytes of the segment, in a chunk of any size.
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
        // The first chunk is usually enough, which avoids a copy.
        if probe.isEmpty, let answer = ContainerProbe.decide(chunk, isEnd: false, limit: probe.limit) {
            begin(answer, chunk)
            return
        }
        probe.append(chunk)
        if let answer = probe.decide(isEnd: false) { begin(answer, probe.drainBytes().span) }
    }

    /// The number of upcoming bytes that are irrelevant and may be skipped.
    package var skippableByteCount: UInt64 { container?.skippableByteCount ?? 0 }

    /// Skips `count` bytes, at most `skippableByteCount`.
    package mutating func skip(_ count: UInt64) {
        precondition(count <= skippableByteCount, "more skipped than skippable")
        container?.skip(count)
    }

    /// Ends the segment and returns the filter output, or nil if the segment must be read in order.
    package consuming func finish() -> FilteredSegment? {
        // Reaching the end can show that the segment depends on the previous ones.
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
    /// The amount of output that `drainContent` would return, in bytes.
    var passedByteCount: Int { container?.passedByteCount ?? 0 }

    /// Returns and clears the output so far, or returns nil if the container is not detected yet.
    mutating func drainContent() -> FilteredSegment.Content? { container?.drainContent() }

    /// The duration of the media in a transport stream so far, in seconds; 0 in other containers.
    var mediaSeconds: Double { (container as? TransportStreamFilter)?.mediaSeconds ?? 0 }

    /// Ends a transport stream segment after its last complete packet and begins the next one there; nil elsewhere.
    mutating func splitContent() -> FilteredSegment.Content? {
        guard var stream = container as? TransportStreamFilter else { return nil }
        container = nil
        defer { container = stream }
        return stream.split().map(TransportStreamFilter.content)
    }

    /// Ends the segment and returns the output that was not drained.
    mutating func finishContent() -> FilteredSegment.Content {
        if container == nil, !probe.isUnknown, let answer = probe.decide(isEnd: true) {
            begin(answer, probe.drainBytes().span)
        }
        return container?.finishContent() ?? .unknown(byteCount: unknownByteCount)
    }
}
