internal import TimedMedia

/// What a segment comes to when it is read apart from the others: the few kilobytes of it that matter.
///
/// It stands for the segment's bytes in `SegmentDemuxer.endSegment(prepared:)`, where the tags come out that
/// would have come out of the bytes.
package struct SegmentPreparation: Sendable {
    let filtered: FilteredSegment
}

/// Takes in one segment without knowledge of those before it, so that several can be read at once.
///
/// That can be done with a transport stream whose tables stand before its media. Any other segment must be fed
/// to a `SegmentDemuxer` in its turn; mostly its first few kilobytes show that already.
///
///     var preparer = SegmentPreparer()
///     preparer.feed(bytes.span)
///     if let preparation = preparer.finish() {
///         demuxer.beginSegment()
///         let segment = try demuxer.endSegment(prepared: preparation)
///     }
package struct SegmentPreparer: ~Copyable {
    private enum Phase {
        case probing
        case filtering
        case inVain
    }

    private var phase = Phase.probing
    private var probe: ContainerProbe
    private var filter: TransportPacketFilter

    /// How many bytes a preparation takes at most; a segment in which more matters is fed in its turn.
    static let maximumByteCount = 256 << 10

    /// A preparer for one segment, with the limits of the demuxer that it is for.
    package init(limits: DemuxLimits = .init()) {
        probe = ContainerProbe(limit: limits.maximumFrontByteCount)
        filter = TransportPacketFilter(limits: limits)
    }

    /// Whether the segment must be fed to the demuxer in its turn: more bytes do not change that.
    package var isInVain: Bool { phase == .inVain }

    /// Takes bytes of the segment, in chunks of any size.
    package mutating func feed(_ chunk: Span<UInt8>) {
        switch phase {
        case .inVain: return
        case .probing:
            if probe.isEmpty, let answer = ContainerProbe.decide(chunk, isEnd: false, limit: probe.limit) {
                begin(answer, chunk)
            } else {
                probe.append(chunk)
                if let answer = probe.decide(isEnd: false) { begin(answer, probe.takeBytes().span) }
            }
        case .filtering: pass(chunk)
        }
    }

    /// Ends the segment; nil where it must be fed to the demuxer in its turn.
    package consuming func finish() -> SegmentPreparation? {
        if phase == .probing, let answer = probe.decide(isEnd: true) {
            begin(answer, probe.takeBytes().span)
        }
        guard phase == .filtering else { return nil }
        let filtered = filter.finish()
        let byteCount = filtered.packets.count + filtered.front.bytes.count
        guard !filtered.neededEarlierMap, byteCount <= Self.maximumByteCount else { return nil }
        return SegmentPreparation(filtered: filtered)
    }

    private mutating func begin(_ answer: ContainerProbe.Answer, _ bytes: Span<UInt8>) {
        guard answer == .transportStream else {
            phase = .inVain
            return
        }
        phase = .filtering
        pass(bytes)
    }

    private mutating func pass(_ bytes: Span<UInt8>) {
        filter.feed(bytes)
        judge()
    }

    /// Gives up where more matters than a preparation takes, or than can be known apart from other segments.
    private mutating func judge() {
        if filter.hasNeededEarlierMap || filter.outputByteCount > Self.maximumByteCount { phase = .inVain }
    }
}
