import HTTPServing
import Reporting
import StreamHealth

/// A page of the monitor, which may load data from this server only.
struct MonitorPage {
    private var frame: PageFrame

    /// The title that all pages share.
    static let name = "dtvr monitor"
    /// The icon until a script sets another one.
    private static let icon = "data:,"

    /// Creates a page with its own style sheet, which follows the common ones, and a script.
    init(title: String, style: [UInt8], script: [UInt8]) {
        frame = PageFrame(
            title: title, style: PageStyle.base + PackageResources.monitor_css + style, script: script)
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
            ], body: frame.bytes(capacity: 1 << 16, body))
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
