import NielsenID3
import StreamHealth

/// Groups tags into as many columns as a drawing can resolve; only the drawing is thinned, not the data.
///
/// A column with one tag is drawn at the tag's position. A column with several tags is drawn once, with their count in
/// its tooltip and their most severe color, so that no problem is hidden.
struct PlotColumns {
    /// The number of columns in a drawing.
    static let count = 480

    struct Column {
        /// The index of the column's first tag in the track.
        var tag: Int
        /// The media positions of the first and last tag, in seconds.
        var first: Double
        var last: Double
        var lowest: Double
        var highest: Double
        var count: Int
        var severity: CheckStatus
    }

    /// The columns that contain tags, from left to right.
    private(set) var columns: [Column] = []

    /// Groups points into columns; the points must be in stream order.
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
    /// The class that colors a mark of this severity; nil if the mark keeps its own color.
    var markClass: String? {
        switch self {
        case .fail: "m-fail"
        case .warn: "m-warn"
        case .pass, .notRun: nil
        }
    }
}
