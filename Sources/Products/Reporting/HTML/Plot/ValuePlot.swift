import StreamHealth
import TextForms

/// A plot of one value per tag over media time.
///
/// Extreme outliers do not flatten the other values: they are drawn at the edge, as arrowheads.
struct ValuePlot {
    /// A horizontal reference line in the plot.
    struct Reference {
        let value: Double
        /// The label in the legend; nil if another line's label covers both.
        let label: String?
        let isLimit: Bool
    }

    let points: [TrackAnalysis.Point]
    let references: [Reference]
    /// The range of values that the axis must include.
    let least: ClosedRange<Double>
    /// The number of decimals and the name of the value in tooltips.
    let decimals: Int
    let noun: String
    /// The unit of the axis.
    var unit = "s"

    private static let height = 132
    private static let margin = 8.0

    func write(to html: inout HTMLWriter, of track: RenditionTrack, frame: PlotFrame) {
        let axis = valueAxis
        let columns = PlotColumns(points, of: track.tags, on: frame.time)
        func y(_ value: Double) -> Double {
            Self.margin + (1 - axis.fraction(of: value)) * (Double(frame.height) - 2 * Self.margin)
        }
        let labels = axis.ticks.map { (y: y($0), text: DecimalText.short($0) + " " + unit) }
        frame.write(to: &html, labels: labels) { html in
            for tick in axis.ticks {
                let height = DecimalText.short(y(tick))
                html.shape(
                    "line", ["class": "grid", "x1": "0", "x2": "100%", "y1": height, "y2": height])
            }
            for reference in references where (axis.lower...axis.upper).contains(reference.value) {
                let height = DecimalText.short(y(reference.value))
                html.shape(
                    "line",
                    [
                        "class": reference.isLimit ? "limit" : "reference", "x1": "0", "x2": "100%",
                        "y1": height, "y2": height,
                    ])
            }
            html.element("g", ["class": "values"]) { html in
                for column in columns.columns { write(column, to: &html, on: frame.time, axis, y) }
            }
        }
        writeLegend(on: axis, to: &html)
    }

    /// Writes the legend below the plot, because labels beside the lines would cover marks.
    private func writeLegend(on axis: PlotAxis, to html: inout HTMLWriter) {
        let shown = references.filter { (axis.lower...axis.upper).contains($0.value) && $0.label != nil }
        guard !shown.isEmpty else { return }
        html.element("p", ["class": "legend"]) { html in
            for reference in shown {
                html.element("span") { html in
                    html.element("svg", ["width": "24", "height": "14", "aria-hidden": "true"]) { html in
                        html.shape(
                            "line",
                            [
                                "class": reference.isLimit ? "limit" : "reference", "x1": "0", "x2": "24",
                                "y1": "7", "y2": "7",
                            ])
                    }
                    html.text(reference.label ?? "")
                }
            }
        }
    }

    /// Returns a frame with the height of value plots.
    static func frame(track: String, time: PlotAxis, label: String) -> PlotFrame {
        PlotFrame(track: track, time: time, height: height, label: label)
    }

    private func write(
        _ column: PlotColumns.Column, to html: inout HTMLWriter, on time: PlotAxis, _ axis: PlotAxis,
        _ y: (Double) -> Double
    ) {
        let x = time.percent(of: (column.first + column.last) / 2)
        let title = self.title(of: column, by: time.clock)
        if column.highest > axis.upper || column.lowest < axis.lower {
            let isAbove = column.highest > axis.upper
            html.shape(
                "use", title: title,
                [
                    "href": isAbove ? "#above" : "#below", "x": x,
                    "y": DecimalText.short(y(isAbove ? axis.upper : axis.lower)),
                    "class": column.severity.markClass,
                ])
            guard column.count > 1 else { return }
        }
        let top = y(column.highest) - 2
        html.shape(
            "rect", title: title,
            [
                "x": x, "y": DecimalText.short(top), "width": "4", "rx": "2",
                "height": DecimalText.short(max(4, y(column.lowest) + 2 - top)),
                "class": column.severity.markClass,
            ])
    }

    private func title(of column: PlotColumns.Column, by clock: PositionClock) -> String {
        let lowest = DecimalText.fixed(column.lowest, decimals: decimals)
        if column.count == 1 { return "\(clock.text(column.first)): \(noun) \(lowest) \(unit)" }
        let highest = DecimalText.fixed(column.highest, decimals: decimals)
        return "\(clock.text(column.first)) to \(clock.text(column.last)): "
            + "\(column.count) tags, \(noun) \(lowest) to \(highest) \(unit)"
    }

    /// An axis that includes all values except extreme outliers.
    private var valueAxis: PlotAxis {
        let sorted = points.map(\.value).sorted()
        guard let lowest = sorted.first, let highest = sorted.last else {
            return .values(from: least.lowerBound, to: least.upperBound)
        }
        let lowQuarter = sorted[sorted.count / 4]
        let highQuarter = sorted[min(sorted.count - 1, sorted.count * 3 / 4)]
        let median = sorted[sorted.count / 2]
        let reach = max(
            6 * (highQuarter - lowQuarter), least.upperBound - median, median - least.lowerBound,
            2 * abs(median))
        return .values(
            from: min(least.lowerBound, max(lowest, median - reach)),
            to: max(least.upperBound, min(highest, median + reach)))
    }
}

/// The symbols used by plots, which differ in shape as well as in color; a page with plots includes them once.
package enum PlotSymbols {
    /// Writes the symbol definitions, which are invisible.
    package static func write(to html: inout HTMLWriter) {
        html.markup("<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>")
        html.markup("<path id=\"fail\" d=\"M0-6 6 5H-6Z\"/><path id=\"warn\" d=\"M0-5 5 0 0 5-5 0Z\"/>")
        html.markup("<path id=\"source\" d=\"M-4-5 4 0-4 5Z\"/><path id=\"above\" d=\"M0-4 4 3H-4Z\"/>")
        html.markup("<path id=\"below\" d=\"M0 4-4-3H4Z\"/><path id=\"stretch\" d=\"M-7-7H7V7H-7Z\"/>")
        html.markup("<path id=\"dash\" d=\"M0-7V7\"/>")
        html.markup("</defs></svg>")
    }
}
