import NielsenID3
import StreamHealth

/// The distances between DATA tags, in a bounded number of columns for any number of tags.
///
/// Each column holds the widest of a fixed number of consecutive spacings. When all columns are full, adjacent ones are
/// merged and that number doubles. A single gap among a million tags therefore stays visible.
struct SpacingSketch: Sendable, Hashable {
    /// The maximum number of columns.
    static let maximumColumns = 40

    /// The number of tenths of a second in the histogram for the median; a longer spacing counts in the last one.
    private static let tenths = 1_200

    /// The number of spacings, which is one less than the number of tags counted.
    private(set) var count = 0
    /// The narrowest spacing in seconds; nil without spacings.
    private(set) var narrowest: Double?
    /// The widest spacing in seconds; nil without spacings.
    private(set) var widest: Double?
    /// The widest spacing of each column in seconds; the last column may hold fewer spacings than the others.
    private(set) var columns: [Double] = []

    private var tags = TagSpacing()
    private var last: Double?
    private var spacingsPerColumn = 1
    private var spacingsInLastColumn = 0
    private var histogram: [Int] = []

    /// Creates an empty sketch.
    init() {}

    /// Appends the next tag of one rendition, in stream order.
    ///
    /// `TagSpacing` determines which tags count.
    mutating func append(_ tag: TagOccurrence) {
        if let spacing = tags.observe(tag) { append(spacing: spacing) }
    }

    /// Appends a position; a position that is not finite is ignored, and one before the last counts as distance 0.
    mutating func append(position: Double) {
        guard position.isFinite else { return }
        defer { last = position }
        guard let last else { return }
        append(spacing: max(0, position - last))
    }

    private mutating func append(spacing: Double) {
        count += 1
        narrowest = min(narrowest ?? spacing, spacing)
        widest = max(widest ?? spacing, spacing)
        if histogram.isEmpty { histogram = [Int](repeating: 0, count: Self.tenths + 1) }
        histogram[Int(min(spacing * 10, Double(Self.tenths)).rounded())] += 1
        if columns.isEmpty || spacingsInLastColumn == spacingsPerColumn {
            if columns.count == Self.maximumColumns { mergeNeighbours() }
            columns.append(spacing)
            spacingsInLastColumn = 1
        } else {
            columns[columns.count - 1] = max(columns[columns.count - 1], spacing)
            spacingsInLastColumn += 1
        }
    }

    /// The median in seconds, to a tenth; nil without spacings.
    ///
    /// Values above two minutes count as two minutes.
    var median: Double? {
        guard count > 0 else { return nil }
        var below = 0
        for (tenths, number) in histogram.enumerated() {
            below += number
            if 2 * below >= count { return Double(tenths) / 10 }
        }
        return nil
    }

    /// The columns as bars of one character each.
    ///
    /// The bars of a steady stream have half the height, so that twice the spacing stands out. They are centered
    /// between two bar heights, so that the jitter of a frame is not visible.
    var bars: String {
        guard let widest, let median, widest > 0 else { return String(repeating: "▁", count: columns.count) }
        let highest = max(widest, 2 * median)
        let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return String(columns.map { levels[min(levels.count - 1, Int($0 / highest * 7.5))] })
    }

    private mutating func mergeNeighbours() {
        columns = stride(from: 0, to: columns.count, by: 2).map { max(columns[$0], columns[$0 + 1]) }
        spacingsPerColumn *= 2
    }
}
