internal import ISOBMFF
internal import TimedMedia

/// Lets pass, of one segment of fragmented MP4, the tags of event messages and `ID32` boxes and what their times
/// hang on.
///
/// Media data is skipped by its size and never held.
struct FragmentedMP4Filter: ContainerFilter {
    private var walker: BoxWalker
    private var reader: BoxReader

    init(limits: DemuxLimits = DemuxLimits()) {
        var walkerLimits = BoxWalker.Limits()
        // A message has room for a tag, and the texts before it for what no standard forbids.
        walkerLimits.maximumPayloadByteCount = limits.maximumTagByteCount + 1 << 16
        walker = BoxWalker(limits: walkerLimits)
        reader = BoxReader(limits: limits)
    }

    static func content(_ passed: FilteredBoxes) -> FilteredSegment.Content { .fragmentedMP4(passed) }

    mutating func feed(_ chunk: Span<UInt8>) {
        var position = 0
        while true {
            do throws(ISOBMFFError) {
                guard let step = try walker.next(in: chunk, at: &position) else { return }
                switch step {
                case .box(let box): try open(box)
                case .payload(let box): Self.read(box, of: walker, with: &reader)
                case .end(let box): reader.close(box)
                }
            } catch {
                reader.report(error)
            }
        }
    }

    /// Reads the payload that the walker holds; `self` as a whole could not be borrowed and changed at once.
    private static func read(
        _ box: BoxWalker.Box, of walker: borrowing BoxWalker, with reader: inout BoxReader
    ) {
        reader.read(box, walker.payload)
    }

    private mutating func open(_ box: BoxWalker.Box) throws(ISOBMFFError) {
        switch reader.interest(in: box) {
        case .none: break
        case .payload: try walker.hold()
        case .children(let skipped): try walker.descend(skipping: skipped)
        }
    }

    /// How many of the bytes that come next are media data, or of boxes that say nothing here.
    var skippableByteCount: UInt64 { walker.skippableByteCount }

    mutating func skip(_ count: UInt64) { walker.skip(count) }

    var passedByteCount: Int { reader.boxes.statements.count * MemoryLayout<BoxStatement>.stride }

    var pendingByteCount: Int {
        walker.payload.count + reader.tagByteCount
            + reader.boxes.tags.count * DemuxLimits.tagOverheadByteCount
    }

    /// Never: what hangs on earlier segments is passed as statements.
    var needsEarlierSegments: Bool { false }

    /// The statements so far; the tags and the facts come with the end.
    mutating func drainPassed() -> FilteredBoxes { FilteredBoxes(statements: reader.drainStatements()) }

    mutating func finish() -> FilteredBoxes {
        // Boxes that end with bytes that were skipped are still to be closed.
        feed(Span())
        let truncated = walker.heldBox
        do throws(ISOBMFFError) {
            if case .payload(let box) = try walker.finish() { Self.read(box, of: walker, with: &reader) }
        } catch {
            reader.report(error)
            // What there is of a truncated box may hold the better part of a tag.
            if let truncated { Self.read(truncated, of: walker, with: &reader) }
        }
        var boxes = reader.boxes
        boxes.facts.byteCount = walker.offset
        return boxes
    }
}
