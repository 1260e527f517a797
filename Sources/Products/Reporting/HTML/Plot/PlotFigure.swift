/// A sign of a plot and its meaning, for the legend.
struct PlotSign {
    /// The address of the symbol, and its class.
    let symbol: String
    let name: String
    let text: String
    /// Whether the plot has the sign.
    let isThere: Bool

    init(_ symbol: String, _ name: String, _ text: String, isThere: Bool) {
        (self.symbol, self.name, self.text, self.isThere) = (symbol, name, text, isThere)
    }
}

extension HTMLWriter {
    /// Writes a plot with its title and caption.
    mutating func figure(_ title: String, caption: String, _ body: (inout HTMLWriter) -> Void) {
        element("figure", ["class": "chart"]) { html in
            html.element("figcaption") { html in
                html.element("strong", title)
                html.element("span", caption)
            }
            body(&html)
        }
    }

    /// Writes the legend of the signs that a plot has; nothing if it has none.
    mutating func legend(_ signs: [PlotSign]) {
        guard signs.contains(where: \.isThere) else { return }
        element("p", ["class": "legend"]) { html in
            for sign in signs where sign.isThere {
                html.element("span") { html in
                    html.element("svg", ["width": "14", "height": "14", "aria-hidden": "true"]) { html in
                        html.shape("use", ["href": sign.symbol, "class": sign.name, "x": "7", "y": "7"])
                    }
                    html.text(sign.text)
                }
            }
        }
    }
}
