import HTTPServing
import Reporting
import StreamHealth

/// The overview page: an empty frame that its script fills with data from `/events`.
enum OverviewPage {
    /// Returns the response with the page, the same for every request.
    ///
    /// - Parameter allowsChanges: Whether people can acknowledge and mute alerts.
    static func answer(allowsChanges: Bool) -> HTTPServerAnswer { allowsChanges ? withHandling : readOnly }

    private static let readOnly = page(handlingAt: nil)
    private static let withHandling = page(handlingAt: "")

    private static func page(handlingAt base: String?) -> HTTPServerAnswer {
        MonitorPage(
            title: MonitorPage.name, style: PackageResources.overviewCSS,
            script: PackageResources.overviewJS,
            handlingAt: base
        ).answer { write(to: &$0) }
    }

    private static func write(to html: inout HTMLWriter) {
        writeTop(to: &html)
        html.element("main", ["id": "main"]) { html in
            writeFilters(to: &html)
            html.element("ol", ["id": "channels", "aria-label": "Channels, worst first"]) { _ in }
        }
        html.element("div", ["class": "facts", "id": "facts", "hidden": "hidden"]) { _ in }
        html.element("footer") { html in
            html.element("span", ["id": "buffer"], "")
            html.element(
                "span", ["class": "keys"], "Keys: / searches, arrows move between channels, Enter opens one.")
        }
    }

    private static func writeTop(to html: inout HTMLWriter) {
        html.element("header", ["class": "top"]) { html in
            html.element("h1", MonitorPage.name)
            html.element("p", ["class": "overall none", "id": "overall", "role": "status"]) { html in
                html.element("span", ["class": "sign", "aria-hidden": "true"], "–")
                html.element("span", ["class": "text"], "Waiting for the monitor")
            }
            html.element("p", ["class": "contact", "id": "contact"], "connecting")
        }
        html.element("noscript") { html in
            html.element("p", "This page needs JavaScript. /api/channels has the same data as JSON.")
        }
        html.element("p", ["class": "delivery", "id": "delivery", "role": "status", "hidden": "hidden"], "")
        html.element("section", ["class": "alerts", "id": "alerts", "hidden": "hidden"]) { html in
            html.element("h2") { html in
                html.text("Active alerts ")
                html.element("span", ["id": "alert-count"], "")
            }
            html.element("ol", ["id": "alert-list", "tabindex": "0", "aria-label": "Active alerts"]) { _ in }
        }
    }

    private static func writeFilters(to html: inout HTMLWriter) {
        html.element("form", ["class": "filters", "role": "search"]) { html in
            html.element("div", ["class": "states", "role": "group", "aria-label": "States to show"]) {
                html in
                for state in states {
                    html.element(
                        "button", ["type": "button", "value": state.rawValue, "aria-pressed": "false"]
                    ) { html in
                        MonitorPage.writeMark(of: state, to: &html)
                        html.text(state.rawValue + " ")
                        html.element("b", "0")
                    }
                }
            }
            html.element("label") { html in
                html.text("Search")
                html.open(
                    "input",
                    [
                        "type": "search", "name": "q", "placeholder": "name, id, reason",
                        "autocomplete": "off", "spellcheck": "false",
                    ])
            }
        }
        html.element(
            "p", ["class": "matches", "id": "matches", "role": "status", "hidden": "hidden"], "")
    }

    /// The states in order of severity, the same as in the script.
    private static let states: [ChannelState] = [
        .unreachable, .ended, .silent, .degraded, .connecting, .healthy, .paused,
    ]
}
