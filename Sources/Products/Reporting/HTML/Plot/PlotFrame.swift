import TextForms

/// The frame shared by all plots of a track: labels on the left, the plot, and media time below.
///
/// Horizontal positions are in percent and sizes in pixels, so that a plot fits any width without scaling its text and
/// marks.
struct PlotFrame {
    /// The indices of the input and track shown, for the script that highlights tags.
    let track: String
    let time: PlotAxis
    /// The height of the plot in pixels, without the time labels.
    let height: Int
    /// The accessible description of the plot.
    let label: String

    private static let labelWidth = 76
    private static let timeHeight = 22

    /// Writes the frame with `labels` at their heights and the output of `marks`.
    func write(
        to html: inout HTMLWriter, labels: [(y: Double, text: String)],
        marks: (inout HTMLWriter) -> Void
    ) {
        html.element("div", ["class": "plot"]) { html in
            let whole = String(height + Self.timeHeight)
            html.element(
                "svg",
                [
                    "class": "y-axis", "width": String(Self.labelWidth), "height": whole,
                    "aria-hidden": "true",
                ]
            ) { html in
                for label in labels {
                    html.element(
                        "text",
                        [
                            "x": String(Self.labelWidth - 8), "y": DecimalText.short(label.y + 4),
                            "text-anchor": "end",
                        ], label.text)
                }
            }
            html.element(
                "svg",
                [
                    "class": "area", "width": "100%", "height": whole, "role": "img", "aria-label": label,
                    "tabindex": "0", "data-track": track, "data-end": DecimalText.short(time.upper),
                ]
            ) { html in
                writeTime(to: &html)
                marks(&html)
                html.shape(
                    "line",
                    [
                        "class": "cursor", "x1": "0", "x2": "0", "y1": "0", "y2": String(height),
                        "visibility": "hidden",
                    ])
            }
        }
    }

    private func writeTime(to html: inout HTMLWriter) {
        for (index, tick) in time.ticks.enumerated() {
            let x = time.percent(of: tick)
            let fraction = time.fraction(of: tick)
            // Labels near the ends are aligned to stay within the frame.
            let anchor = fraction < 0.03 ? "start" : fraction > 0.97 ? "end" : "middle"
            html.element("g", ["class": index % 2 == 0 ? "tick" : "tick odd"]) { html in
                html.shape("line", ["x1": x, "x2": x, "y1": "0", "y2": String(height)])
                html.element(
                    "text", ["x": x, "y": String(height + 16), "text-anchor": anchor],
                    time.clock.text(tick))
            }
        }
        html.shape(
            "line",
            ["class": "base", "x1": "0", "x2": "100%", "y1": String(height), "y2": String(height)])
    }
}
