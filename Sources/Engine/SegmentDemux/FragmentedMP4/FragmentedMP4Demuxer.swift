internal import ISOBMFF
internal import TimedMedia

/// The ID3 tags of fragmented MP4, segment by segment: event messages and `ID32` boxes.
///
/// Media data is passed over by its size and never held. What an initialisation section says of its tracks
/// applies to the segments after it, until the next one.
struct FragmentedMP4Demuxer: Sendable {
    private var walker: BoxWalker
    private var content: FragmentedMP4Content
    private let walkerLimits: BoxWalker.Limits

    init(limits: DemuxLimits = DemuxLimits()) {
        var walkerLimits = BoxWalker.Limits()
        // A message has room for a tag, and the texts before it for what no standard forbids.
        walkerLimits.maximumPayloadByteCount = limits.maximumTagByteCount + 1 << 16
        self.walkerLimits = walkerLimits
        walker = BoxWalker(limits: walkerLimits)
        content = FragmentedMP4Content(limits: limits)
    }

    /// Begins a segment, `index` counting from the first one.
    mutating func beginSegment(index: Int, isDiscontinuous: Bool) {
        walker = BoxWalker(limits: walkerLimits)
        content.begin(index: index, isDiscontinuous: isDiscontinuous)
    }

    /// Takes bytes of the segment, in chunks of any size.
    mutating func feed(_ chunk: Span<UInt8>) throws(DemuxError) {
        var position = 0
        while true {
            do throws(ISOBMFFError) {
                guard let step = try walker.next(in: chunk, at: &position) else { return }
                switch step {
                case .box(let box): try open(box)
                case .payload(let box): Self.hand(box, of: walker, to: &content)
                case .end(let box): content.close(box)
                }
            } catch {
                content.report(error)
            }
        }
    }

    /// Lends the payload that the walker holds; `self` as a whole could not be borrowed and changed at once.
    private static func hand(
        _ box: BoxWalker.Box, of walker: borrowing BoxWalker, to content: inout FragmentedMP4Content
    ) {
        content.take(box, walker.payload)
    }

    private mutating func open(_ box: BoxWalker.Box) throws(ISOBMFFError) {
        switch content.interest(in: box) {
        case .none: break
        case .payload: try walker.hold()
        case .children(let skipped): try walker.descend(skipping: skipped)
        }
    }

    /// How many of the bytes that come next are media data, or of boxes that say nothing here.
    var skippableByteCount: UInt64 { walker.skippableByteCount }

    /// Says that so many bytes were passed over.
    mutating func skip(_ count: UInt64) { walker.skip(count) }

    /// Ends the segment: its tags, with their times, and the facts.
    mutating func endSegment() throws(DemuxError) -> DemuxedSegment {
        // Boxes that end with bytes that were passed over are still to be closed.
        try feed(Span())
        let cut = walker.heldBox
        do throws(ISOBMFFError) {
            if case .payload(let box) = try walker.finish() { Self.hand(box, of: walker, to: &content) }
        } catch {
            content.report(error)
            // What there is of a box that was cut off may hold the better part of a tag.
            if let cut { Self.hand(cut, of: walker, to: &content) }
        }
        return content.end(byteCount: walker.offset)
    }

    /// Nothing: a box ends with its segment.
    mutating func finish() -> [TimedMetadata] { [] }
}
