import StreamHealth

/// Tags gathered into as many columns as a drawing can tell apart: the drawing is thinned, never the data.
///
/// A column with one tag is drawn at the tag's place; one with more is drawn once, says how many it stands for and
/// has the most severe of their colours, so that no problem is thinned away.
struct PlotColumns {
    /// How many columns a drawing has.
    static let count = 480

    struct Column {
        /// Which of the track's tags is its first.
        var tag: Int
        /// Seconds of media of the first and last tag in it.
        var first: Double
        var last: Double
        var lowest: Double
        var highest: Double
        var count: Int
        var severity: CheckStatus
    }

    /// The columns with a tag, from left to right.
    private(set) var columns: [Column] = []

    /// The columns of the points, which must be in the order of the stream.
    init(_ points: some Sequence<TrackAnalysis.Point>, of tags: [TrackedTag], on axis: PlotAxis) {
        var byIndex: [Int: Column] = [:]
        for point in points {
            let index = Int(axis.fraction(of: point.position) * Double(Self.count - 1))
            let severity = tags[point.tag].severity
            guard var column = byIndex[index] else {
                byIndex[index] = Column(
                    tag: point.tag, first: point.position, last: point.position, lowest: point.value,
                    highest: point.value, count: 1, severity: severity)
                continue
            }
            column.first = min(column.first, point.position)
            column.last = max(column.last, point.position)
            column.lowest = min(column.lowest, point.value)
            column.highest = max(column.highest, point.value)
            column.count += 1
            column.severity = max(column.severity, severity)
            byIndex[index] = column
        }
        columns = byIndex.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension CheckStatus {
    /// The class that colors a mark of this severity; nil where the mark keeps its own color.
    var markClass: String? {
        switch self {
        case .fail: "m-fail"
        case .warn: "m-warn"
        case .pass, .notRun: nil
        }
    }
}
