import NielsenID3
import StreamHealth
import TextForms

/// The heading of an input's report: the verdict, the extent of the input, and the problems.
struct VerdictHeading {
    let report: any VerdictReport
    /// The index of the input on the page.
    let input: Int

    func write(to html: inout HTMLWriter) {
        html.element("header", ["class": "verdict \(report.status.rawValue)"]) { html in
            html.element("p", ["class": "word"]) { html in
                html.element("span", ["class": "sign", "aria-hidden": "true"], report.status.sign)
                html.text(report.status.word)
            }
            html.element("div", ["class": "about"]) { html in
                html.element("h1") { html in
                    html.element("bdi", TerminalText.shortened(PrintableText.of(report.source), 400))
                }
                for fact in report.headlines { html.element("p", fact) }
            }
        }
        writeBar(to: &html)
        writeAttention(to: &html)
    }

    /// Writes the number of checks by status as a segmented bar.
    private func writeBar(to html: inout HTMLWriter) {
        let total = report.outcomes.count
        guard total > 0 else { return }
        let summary = VerdictText.summary(report.outcomes, report.noun + "s")
        html.element("figure", ["class": "bar"]) { html in
            html.element("svg", ["width": "100%", "height": "10", "role": "img", "aria-label": summary]) {
                html in
                var done = 0
                for status in CheckStatus.allCases.reversed() {
                    let count = report.outcomes.count { $0.status == status }
                    guard count > 0 else { continue }
                    html.shape(
                        "rect", title: "\(count) \(status.word)",
                        [
                            "class": "s-\(status.rawValue)", "y": "0", "height": "10",
                            "x": DecimalText.short(100 * Double(done) / Double(total)) + "%",
                            "width": DecimalText.short(100 * Double(count) / Double(total)) + "%",
                        ])
                    done += count
                }
            }
            html.element("figcaption", summary.prefix(1).uppercased() + summary.dropFirst())
        }
    }

    /// Writes the first finding of each check that did not pass, most severe first.
    private func writeAttention(to html: inout HTMLWriter) {
        let raised = VerdictText.attention(report.outcomes)
        guard !raised.isEmpty else { return }
        html.element("section", ["class": "attention"]) { html in
            html.element("h2", "What to look at")
            html.element("ol") { html in
                for outcome in raised {
                    html.element("li", ["class": outcome.status.rawValue]) { html in
                        html.element("span", ["class": "sign", "aria-hidden": "true"], outcome.status.sign)
                        html.element(
                            "a", ["href": "#check-\(input)-\(outcome.id.rawValue)"], outcome.id.rawValue)
                        if outcome.shownCount > 1 {
                            html.element(
                                "span", ["class": "times"], "\(DecimalText.grouped(outcome.shownCount))×")
                        }
                        guard let finding = outcome.findings.first(where: { $0.status > .pass }) else {
                            html.element("span", ["class": "detail"], outcome.declaration?.title ?? "")
                            return
                        }
                        html.element("span", ["class": "detail"]) { html in
                            html.text(Finding.shortened(finding.detail))
                            let place = VerdictText.place(finding.place).map {
                                TerminalText.shortened($0, 60)
                            }
                            html.element("span", ["class": "place"], place.joined(separator: " · "))
                        }
                    }
                }
            }
        }
    }
}
