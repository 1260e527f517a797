import NielsenID3
import StreamHealth
import TextForms

/// The checks of a verdict, one row each, which expands to the findings.
struct CheckList {
    let report: any VerdictReport
    /// The index of the input on the page.
    let input: Int

    func write(to html: inout HTMLWriter) {
        html.element("section", ["class": "checks", "id": "checks-\(input)"]) { html in
            html.element("h2", report.noun == "rule" ? "Rules" : "Checks")
            writeFilter(to: &html)
            html.element("div", ["class": "check heading", "aria-hidden": "true"]) { html in
                html.markup("<span></span>")
                html.element("span", report.noun == "rule" ? "Rule" : "Check")
                html.markup("<span class=\"number\">Count</span><span class=\"number\">Limit</span>")
            }
            for outcome in report.outcomes { write(outcome, to: &html) }
            if let policy = report.policy { writeLimits(policy, to: &html) }
        }
    }

    /// Writes radio buttons whose state the style sheet reads, so that the filter works without a script.
    private func writeFilter(to html: inout HTMLWriter) {
        html.element("fieldset", ["class": "filter"]) { html in
            html.element("legend", "Show")
            choice("all", "All \(report.outcomes.count)", isChosen: true, to: &html)
            for status in CheckStatus.allCases.reversed() {
                let count = report.outcomes.count { $0.status == status }
                guard count > 0 else { continue }
                choice(status.rawValue, "\(status.word) \(count)", isChosen: false, to: &html)
            }
        }
    }

    private func choice(_ value: String, _ text: String, isChosen: Bool, to html: inout HTMLWriter) {
        html.element("label", ["class": "chip \(value)"]) { html in
            html.open(
                "input",
                [
                    "type": "radio", "name": "status-\(input)", "value": value,
                    "checked": isChosen ? "checked" : nil,
                ])
            html.element("span", text)
        }
    }

    private func write(_ outcome: CheckOutcome, to html: inout HTMLWriter) {
        let classes = "check \(outcome.status.rawValue)"
        let id = "check-\(input)-\(outcome.id.rawValue)"
        if outcome.findings.isEmpty, outcome.status < .warn {
            html.element("div", ["class": classes, "id": id]) { write(headOf: outcome, to: &$0) }
            return
        }
        html.element(
            "details", ["class": classes, "id": id, "open": outcome.status > .pass ? "open" : nil]
        ) { html in
            html.element("summary") { write(headOf: outcome, to: &$0) }
            html.element("ol", ["class": "findings"]) { html in
                for group in outcome.groups { write(group, to: &html) }
            }
            for note in VerdictText.unlisted(outcome) { html.element("p", ["class": "rest"], note) }
            if outcome.status > .pass { writeExplanation(of: outcome, to: &html) }
        }
    }

    private func write(headOf outcome: CheckOutcome, to html: inout HTMLWriter) {
        html.element("span", ["class": "status"]) { html in
            html.element("span", ["class": "sign", "aria-hidden": "true"], outcome.status.sign)
            html.element("span", ["class": "word"], outcome.status.word)
        }
        html.element("span", ["class": "what"]) { html in
            html.element("code", outcome.id.rawValue)
            html.element("span", ["class": "meaning"], outcome.declaration?.expectation ?? "")
            if outcome.status == .notRun {
                html.element("span", ["class": "reason"], outcome.reason ?? "nothing to check")
            }
        }
        let wasRun = outcome.status != .notRun
        let count = outcome.shownCount == 0 ? "number count zero" : "number count"
        html.element("span", ["class": count], wasRun ? DecimalText.grouped(outcome.shownCount) : "")
        let limit = VerdictText.limit(outcome.limit) ?? (outcome.id == .cidChange ? "–" : "0")
        html.element("span", ["class": "number most"], wasRun ? limit : "")
    }

    private func writeExplanation(of outcome: CheckOutcome, to html: inout HTMLWriter) {
        guard let check = outcome.declaration else { return }
        html.element("details", ["class": "explanation"]) { html in
            html.element("summary", "What it means and what to do")
            html.element("dl") { html in
                for (heading, text) in [
                    ("What it means", check.meaning), ("What it looks like", check.appearance),
                    ("What usually causes it", check.cause), ("What to do", check.action),
                ] + (check.source.map { [("Source", $0)] } ?? []) {
                    html.element("dt", heading)
                    html.element("dd", text)
                }
            }
        }
    }

    private func write(_ group: FindingGroup, to html: inout HTMLWriter) {
        let example = group.example
        html.element("li", ["class": example.status.rawValue]) { html in
            let hasPlace = !VerdictText.place(group.first.place).isEmpty
            if hasPlace || group.count > 1 {
                html.element("span", ["class": "place"]) { html in
                    guard group.count > 1 else { return write(group.first.place, to: &html) }
                    html.text("\(DecimalText.grouped(group.count)) times")
                    guard hasPlace else { return }
                    html.text(", first ")
                    write(group.first.place, to: &html)
                    html.text("; last ")
                    write(group.last.place, to: &html)
                }
            }
            html.element("span", ["class": "detail"], example.detail)
            for consequence in example.consequences {
                html.element("span", ["class": "consequence"]) { html in
                    html.text("hence ")
                    html.element("code", consequence.check.rawValue)
                    html.text(": \(consequence.detail)")
                }
            }
        }
    }

    /// Writes a place with a link to its tag.
    private func write(_ place: Finding.Place, to html: inout HTMLWriter) {
        for (index, part) in VerdictText.place(place).enumerated() {
            if index > 0 { html.text(" · ") }
            html.element("bdi", TerminalText.shortened(part, RenditionTrack.longestName))
        }
        guard let tag = place.tagIndex else { return }
        let rendition = place.rendition.flatMap(report.renditions.firstIndex(of:)) ?? 0
        html.text(" ")
        html.element(
            "a",
            [
                "class": "goto", "href": "#input=\(input)&rendition=\(rendition)&tag=\(tag)",
                "hidden": "hidden",
            ], "show tag")
    }

    private func writeLimits(_ policy: HealthPolicy, to html: inout HTMLWriter) {
        let changed = VerdictText.changedLimits(policy)
        html.element("details", ["class": "limits"]) { html in
            html.element("summary") { html in
                html.text("Limits")
                let notes = changed.map { limit in
                    "\(limit.name) \(DecimalText.short(policy[limit])) \(limit.unit) "
                        + "(default \(DecimalText.short(limit.defaultValue)))"
                }
                html.element(
                    "span", ["class": "meaning"],
                    changed.isEmpty ? "all defaults" : notes.joined(separator: "; "))
            }
            html.element(
                "div", ["class": "table", "tabindex": "0", "role": "region", "aria-label": "Limits"]
            ) { html in
                html.element("table") { html in
                    html.markup("<thead><tr><th scope=\"col\">Limit</th>")
                    html.markup("<th scope=\"col\" class=\"number\">Used</th>")
                    html.markup("<th scope=\"col\" class=\"number\">Default</th>")
                    html.markup("<th scope=\"col\">For</th></tr></thead>")
                    html.element("tbody") { html in
                        for limit in HealthLimit.all {
                            html.element("tr", ["class": changed.contains(limit) ? "changed" : nil]) { html in
                                html.element("td") { $0.element("code", limit.name) }
                                let values = [policy[limit], limit.defaultValue]
                                for value in values {
                                    html.element(
                                        "td", ["class": "number"],
                                        "\(DecimalText.short(value)) \(limit.unit)")
                                }
                                html.element("td", limit.help)
                            }
                        }
                    }
                }
            }
        }
    }
}
