internal import ID3v2
internal import ISOBMFF

/// Extracts the tags of event messages and `ID32` boxes from one fragmented MP4 segment, with their timing data.
///
/// Media data is skipped by its declared size and never buffered.
struct FragmentedMP4Filter: ContainerFilter {
    private var walker: BoxWalker
    private var reader: BoxReader

    init(limits: DemuxLimits = DemuxLimits()) {
        var walkerLimits = BoxWalker.Limits()
        // Leaves room for a tag and 64 KiB for the strings before it, whose length no standard limits.
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

    /// Reads the payload held by the walker.
    ///
    /// The method is static because `self` cannot be borrowed and mutated at the same time.
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

    /// The number of upcoming bytes that belong to media data or to irrelevant boxes.
    var skippableByteCount: UInt64 { walker.skippableByteCount }

    mutating func skip(_ count: UInt64) { walker.skip(count) }

    var passedByteCount: Int { reader.boxes.statements.count * MemoryLayout<BoxStatement>.stride }

    var pendingByteCount: Int {
        walker.payload.count + reader.tagByteCount
            + reader.boxes.tags.count * DemuxLimits.tagOverheadByteCount
    }

    /// Always false: data that depends on previous segments is passed on as statements.
    var needsEarlierSegments: Bool { false }

    /// Returns and clears the statements so far; tags and facts are returned at the end.
    mutating func drainPassed() -> FilteredBoxes { FilteredBoxes(statements: reader.drainStatements()) }

    mutating func finish() -> FilteredBoxes {
        // Closes boxes whose last bytes were skipped.
        feed(Span())
        let truncated = walker.heldBox
        do throws(ISOBMFFError) {
            if case .payload(let box) = try walker.finish() { Self.read(box, of: walker, with: &reader) }
        } catch {
            reader.reportTruncation(error)
            // A truncated box may still contain most of a tag.
            if let truncated { Self.read(truncated, of: walker, with: &reader) }
        }
        var boxes = reader.boxes
        boxes.facts.byteCount = walker.offset
        return boxes
    }
}
