import HTTPServing
import NielsenID3
import Reporting
import StreamHealth

/// The page that explains a check: its meaning, the usual cause and what to do.
struct CheckPage {
    let check: CheckDeclaration
    /// The open alerts of the check.
    let alerts: [Alert]
    /// The display names of channels by id.
    let names: [String: String]

    /// The page.
    var answer: HTTPServerAnswer {
        MonitorPage(
            title: "\(check.id.rawValue) – \(MonitorPage.name)", style: PackageResources.channelCSS,
            script: []
        ).answer { html in
            html.element("header", ["class": "top"]) { html in
                html.element("h1") { $0.element("a", ["href": "../"], MonitorPage.name) }
            }
            html.element("main", ["id": "main", "class": "check"]) { html in
                html.element("header", ["class": "state"]) { html in
                    html.element("h2") { $0.element("code", check.id.rawValue) }
                    html.element("p", "\(check.title). Worst severity: \(check.worst.rawValue).")
                }
                writeAlerts(to: &html)
                for (heading, text) in parts {
                    html.element("section") { html in
                        html.element("h3", heading)
                        html.element("p", text)
                    }
                }
                writeLimits(to: &html)
                html.element("p") { html in
                    html.element("a", ["href": "../"], "All channels")
                }
            }
        }
    }

    private var parts: [(heading: String, text: String)] {
        let urgency = check.urgency
        return [
            ("What to do", check.action),
            ("When to act", "\(urgency.prefix(1).uppercased())\(urgency.dropFirst())."),
            ("What it means", check.meaning), ("What it looks like", check.appearance),
            ("Usual cause", check.cause),
        ]
    }

    /// Writes where the check raises an alert now.
    private func writeAlerts(to html: inout HTMLWriter) {
        guard !alerts.isEmpty else { return }
        html.element("section", ["class": "alerts"]) { html in
            html.element("h2", "Active alerts of this check")
            html.element("ol") { html in
                for alert in alerts {
                    html.element("li", ["class": alert.severity.rawValue]) { html in
                        html.element(
                            "span",
                            ["class": "sign", "role": "img", "aria-label": alert.severity.word],
                            alert.severity.sign)
                        if let channel = alert.channel {
                            html.element("a", ["class": "subject", "href": "../channels/\(channel)"]) {
                                html in
                                html.element("bdi", names[channel] ?? channel)
                            }
                        } else {
                            html.element("bdi", ["class": "subject"], alert.subject)
                        }
                        html.element("bdi", ["class": "what"], alert.detail)
                    }
                }
            }
        }
    }

    private func writeLimits(to html: inout HTMLWriter) {
        guard !check.limits.isEmpty else { return }
        html.element("section") { html in
            html.element("h3", "Limits")
            html.element("ul") { html in
                for limit in check.limits {
                    html.element("li") { html in
                        html.element("code", limit.name)
                        html.text(": \(limit.help)")
                    }
                }
            }
        }
    }
}
