import HTTPServing
import NielsenID3
import Reporting
import StreamHealth

/// A page of the monitor, which may load data from this server only.
struct MonitorPage {
    private var frame: PageFrame

    /// The title that all pages share.
    static let name = "dtvr monitor"
    /// The icon until a script sets another one.
    private static let icon = "data:,"

    /// The path of the first page from this one, if the page has the dialog for alerts; nil without it.
    private let base: String?

    /// Creates a page with its own style sheet, which follows the common ones, and a script.
    ///
    /// - Parameter base: The path of the first page from this one, if people can acknowledge and mute alerts; nil if
    ///   they cannot.
    init(title: String, style: [UInt8], script: [UInt8], handlingAt base: String? = nil) {
        self.base = base
        frame = PageFrame(
            title: title, style: PageStyle.base + PackageResources.monitorCSS + style,
            script: script + (base == nil ? [] : PackageResources.handlingJS))
        frame.sources = "connect-src 'self'; img-src data:; "
        frame.icon = Self.icon
    }

    /// Returns the response with the page; `body` writes the contents.
    func answer(_ body: (inout HTMLWriter) -> Void) -> HTTPServerAnswer {
        HTTPServerAnswer(
            status: 200, type: "text/html; charset=utf-8",
            fields: MonitorSite.fields + [
                // Repeats the policy, plus what only a header can set: other sites must not frame the page.
                .init(name: "Content-Security-Policy", value: frame.policy + "; frame-ancestors 'none'"),
                .init(name: "X-Content-Type-Options", value: "nosniff"),
                .init(name: "Referrer-Policy", value: "no-referrer"),
            ],
            body: frame.bytes(capacity: 1 << 16) { html in
                body(&html)
                if let base { Self.writeDialog(base, to: &html) }
            })
    }

    /// Writes the dialog that asks for a name and an end.
    private static func writeDialog(_ base: String, to html: inout HTMLWriter) {
        html.element("dialog", ["id": "handling", "data-base": base, "aria-labelledby": "handling-title"]) {
            html in
            html.element("form", ["method": "dialog"]) { html in
                html.element("h2", ["id": "handling-title"], "")
                html.element("p") { $0.element("bdi", ["id": "handling-subject"], "") }
                html.element("label") { html in
                    html.text("Your name")
                    html.open(
                        "input",
                        ["name": "by", "required": "required", "maxlength": "64", "autocomplete": "name"])
                }
                writeChoice("For", "for", durations, to: &html)
                writeChoice("Of", "scope", scopes, to: &html)
                html.element("p", ["id": "handling-problem", "role": "alert"], "")
                html.element("p", ["class": "acts"]) { html in
                    html.element("button", ["value": "cancel", "formnovalidate": "formnovalidate"], "Cancel")
                    html.element("button", ["value": "ok"], "OK")
                }
            }
        }
    }

    private static let durations = [
        ("30m", "30 minutes"), ("2h", "2 hours"), ("8h", "8 hours"), ("1d", "a day"), ("7d", "a week"),
    ]
    private static let scopes = [("check", "this check"), ("all", "all checks")]

    private static func writeChoice(
        _ label: String, _ name: String, _ choices: [(value: String, text: String)], to html: inout HTMLWriter
    ) {
        html.element("label") { html in
            html.text(label)
            html.element("select", ["name": name]) { html in
                for (value, text) in choices { html.element("option", ["value": value], text) }
            }
        }
    }

    /// Writes a button that opens the dialog to acknowledge or mute.
    static func writeButton(
        _ text: String, act: String, alert: Alert? = nil, channel: String?, subject: String,
        to html: inout HTMLWriter
    ) {
        html.element(
            "button",
            [
                "type": "button", "class": "act", "data-act": act, "data-alert": alert?.id,
                "data-check": alert?.check.rawValue, "data-channel": channel, "data-subject": subject,
            ], text)
    }

    /// Writes the mark of a state, which is hidden from screen readers because the name of the state follows.
    static func writeMark(of state: ChannelState, to html: inout HTMLWriter) {
        html.element(
            "span", ["class": "mark \(state.rawValue)", "aria-hidden": "true"], state.mark)
    }
}

extension ChannelState {
    /// The letter of the state, the same as in the script of the overview.
    fileprivate var mark: String { self == .healthy ? "·" : rawValue.prefix(1).uppercased() }
}
