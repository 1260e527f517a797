import TextForms

/// The frame that all plots of a track share: labels on the left, the plot, and media time below.
///
/// Marks have their place across in percent and their size in pixels, so that a plot fits a phone and a poster
/// without its text and its marks growing or shrinking.
struct PlotFrame {
    /// Which track of which input it shows, for the script that points at tags.
    let track: String
    let time: PlotAxis
    /// The height of the plot in pixels, without the labels of time.
    let height: Int
    /// What it shows, for those who do not see it.
    let label: String

    private static let labelWidth = 76
    private static let timeHeight = 22

    /// Writes the frame with `labels` at their heights and what `marks` draws.
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
            // Labels at the ends stay inside.
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
