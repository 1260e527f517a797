package import NielsenID3
import StreamHealth

/// How far DATA tags lie apart, in a bounded number of columns however many tags there are.
///
/// A column holds the widest spacing of as many tags in a row as all the others; when every column is full,
/// neighbours are merged and hold twice as many. One gap among a million tags therefore stays visible.
package struct SpacingSketch: Sendable, Hashable {
    /// How many columns there are at most.
    package static let maximumColumns = 40

    /// Tenths of a second are counted apart up to this many, for the median; longer spacings are counted as this.
    private static let tenths = 1_200

    /// How many spacings were seen: one less than the tags.
    package private(set) var count = 0
    /// The narrowest spacing in seconds; nil before there is one.
    package private(set) var narrowest: Double?
    /// The widest spacing in seconds; nil before there is one.
    package private(set) var widest: Double?
    /// The widest spacing in seconds of each column, the last of which may hold fewer tags than the others.
    package private(set) var columns: [Double] = []

    private var tags = TagSpacing()
    private var last: Double?
    private var spacingsPerColumn = 1
    private var spacingsInLastColumn = 0
    private var histogram: [Int] = []

    /// A sketch without tags.
    package init() {}

    /// Takes the next tag of one rendition, in the order of the stream.
    ///
    /// What counts is what `TagSpacing` says.
    package mutating func append(_ tag: TagOccurrence) {
        if let spacing = tags.observe(tag) { append(spacing: spacing) }
    }

    /// A place that is not finite is left out; one before the last counts as no distance.
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

    /// The median in seconds, to a tenth; nil before there is a spacing.
    ///
    /// What is above two minutes counts as that.
    package var median: Double? {
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
    /// A steady stream has bars of half the height, so that one of twice the spacing has room to stand out; it lies
    /// in the middle between two heights, so that the jitter of a frame is not seen.
    package var bars: String {
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
