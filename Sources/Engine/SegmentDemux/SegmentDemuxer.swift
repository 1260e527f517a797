package import TimedMedia

/// Takes the timed metadata out of the segments of one media playlist.
///
/// Feed the segments in order, each between `beginSegment` and `endSegment`; what a container is, its first
/// bytes say. State runs on from segment to segment: a program map, an initialisation section, a tag that
/// begins in one and ends in the next, which comes out with the next and names the first in `segmentIndex`.
///
///     var demuxer = SegmentDemuxer()
///     demuxer.beginSegment()
///     try demuxer.feed(bytes.span)
///     let segment = try demuxer.endSegment()
///
/// Bytes are taken in as they arrive and not kept: a segment takes kilobytes, whatever its length.
package struct SegmentDemuxer: ~Copyable {
    private enum Kind {
        case transportStream
        case fragmentedMP4
        case packedAudio
    }

    private var transportStream: TransportStreamDemuxer
    private var fragmentedMP4: FragmentedMP4Demuxer
    private var packedAudio: PackedAudioDemuxer
    private var probe = ContainerProbe()
    private var kind: Kind?
    private var segmentIndex = -1
    private var isDiscontinuous = false
    private var isInSegment = false
    /// How many bytes were found to be of no known container.
    private var unknownByteCount: UInt64 = 0
    private let limits: DemuxLimits

    /// A demuxer that has seen no segment yet, and takes no more memory than the limits say.
    package init(limits: DemuxLimits = .init()) {
        self.limits = limits
        transportStream = TransportStreamDemuxer(limits: limits)
        fragmentedMP4 = FragmentedMP4Demuxer(limits: limits)
        packedAudio = PackedAudioDemuxer(limits: limits)
    }

    /// Begins a segment; at a discontinuity nothing continues from the segment before.
    ///
    /// A segment that was not ended is given up.
    package mutating func beginSegment(isDiscontinuous: Bool = false) {
        segmentIndex += 1
        self.isDiscontinuous = isDiscontinuous
        probe = ContainerProbe(limit: limits.maximumFrontByteCount)
        kind = nil
        unknownByteCount = 0
        isInSegment = true
    }

    /// Takes bytes of the segment, in chunks of any size.
    package mutating func feed(_ chunk: Span<UInt8>) throws(DemuxError) {
        precondition(isInSegment, "feed outside of a segment")
        guard !chunk.isEmpty else { return }
        if kind != nil {
            try forward(chunk)
            return
        }
        guard !probe.isUnknown else {
            unknownByteCount += UInt64(chunk.count)
            return
        }
        // The first chunk mostly tells, and is not copied then.
        if probe.isEmpty, let answer = ContainerProbe.decide(chunk, isEnd: false, limit: probe.limit) {
            try begin(answer, chunk)
            return
        }
        probe.append(chunk)
        if let answer = probe.decide(isEnd: false) {
            let bytes = probe.takeBytes()
            try begin(answer, bytes.span)
        }
    }

    /// How many of the bytes that come next need not be fed, because nothing in them is looked at.
    package var skippableByteCount: UInt64 {
        switch kind {
        case .transportStream: transportStream.skippableByteCount
        case .fragmentedMP4: fragmentedMP4.skippableByteCount
        case .packedAudio: packedAudio.skippableByteCount
        case nil: 0
        }
    }

    /// Says that so many bytes, at most `skippableByteCount`, were passed over.
    package mutating func skip(_ count: UInt64) {
        precondition(count <= skippableByteCount, "more skipped than skippable")
        switch kind {
        case .transportStream: transportStream.skip(count)
        case .fragmentedMP4: fragmentedMP4.skip(count)
        case .packedAudio: packedAudio.skip(count)
        case nil: break
        }
    }

    /// Ends the segment: the tags that ended in it, and how they came.
    package mutating func endSegment() throws(DemuxError) -> DemuxedSegment {
        precondition(isInSegment, "endSegment outside of a segment")
        if kind == nil, !probe.isUnknown, let answer = probe.decide(isEnd: true) {
            let bytes = probe.takeBytes()
            try begin(answer, bytes.span)
        }
        isInSegment = false
        switch kind {
        case .transportStream: return try transportStream.endSegment()
        case .fragmentedMP4: return try withOpenTags(fragmentedMP4.endSegment())
        case .packedAudio: return try withOpenTags(packedAudio.endSegment())
        case nil:
            var segment = DemuxedSegment()
            if isDiscontinuous { segment.tags = finish() }
            segment.facts.byteCount = unknownByteCount
            return segment
        }
    }

    /// Ends a segment of which nothing was fed, because it was prepared elsewhere: what feeding it would give.
    package mutating func endSegment(prepared: SegmentPreparation) throws(DemuxError) -> DemuxedSegment {
        precondition(isInSegment && kind == nil && probe.isEmpty, "a prepared segment is not fed")
        isInSegment = false
        transportStream.beginSegment(index: segmentIndex, isDiscontinuous: isDiscontinuous)
        return try transportStream.endSegment(filtered: prepared.filtered)
    }

    /// Gives the tags that began and never ended, as partial ones; the next segment continues nothing.
    package mutating func finish() -> [TimedMetadata] { transportStream.finish() }

    /// A segment of another container, behind what a transport stream before it had begun.
    private mutating func withOpenTags(_ segment: DemuxedSegment) -> DemuxedSegment {
        DemuxedSegment(tags: finish() + segment.tags, facts: segment.facts)
    }

    private mutating func begin(_ answer: ContainerProbe.Answer, _ bytes: Span<UInt8>) throws(DemuxError) {
        switch answer {
        case .transportStream:
            kind = .transportStream
            transportStream.beginSegment(index: segmentIndex, isDiscontinuous: isDiscontinuous)
        case .fragmentedMP4:
            kind = .fragmentedMP4
            fragmentedMP4.beginSegment(index: segmentIndex, isDiscontinuous: isDiscontinuous)
        case .packedAudio:
            kind = .packedAudio
            packedAudio.beginSegment(index: segmentIndex, isDiscontinuous: isDiscontinuous)
        case .unknown:
            probe.isUnknown = true
            unknownByteCount += UInt64(bytes.count)
            return
        }
        try forward(bytes)
    }

    private mutating func forward(_ chunk: Span<UInt8>) throws(DemuxError) {
        switch kind {
        case .transportStream: try transportStream.feed(chunk)
        case .fragmentedMP4: try fragmentedMP4.feed(chunk)
        case .packedAudio: try packedAudio.feed(chunk)
        case nil: break
        }
    }
}
