import HTTPServing
import Reporting
import StreamHealth

/// A page of the monitor: it may ask this server for what it shows, and nobody for anything else.
struct MonitorPage {
    private var frame: PageFrame

    /// What every page is called.
    static let name = "dtvr monitor"
    /// What an icon is before a script knows better.
    private static let icon = "data:,"

    /// A page with a style sheet of its own after those that all have, and a script.
    init(title: String, style: [UInt8], script: [UInt8]) {
        frame = PageFrame(
            title: title, style: PageStyle.base + PackageResources.monitor_css + style, script: script)
        frame.sources = "connect-src 'self'; img-src data:; "
        frame.icon = Self.icon
    }

    /// The page as it is answered; `body` writes what is in it.
    func answer(_ body: (inout HTMLWriter) -> Void) -> HTTPServerAnswer {
        HTTPServerAnswer(
            status: 200, type: "text/html; charset=utf-8",
            fields: MonitorSite.fields + [
                // The policy again, with what only a header can say: no page of another site shows this one.
                .init(name: "Content-Security-Policy", value: frame.policy + "; frame-ancestors 'none'"),
                .init(name: "X-Content-Type-Options", value: "nosniff"),
                .init(name: "Referrer-Policy", value: "no-referrer"),
            ], body: frame.bytes(capacity: 1 << 16, body))
    }

    /// Writes the mark of a state, which its name stands beside.
    static func writeMark(of state: ChannelState, to html: inout HTMLWriter) {
        html.element(
            "span", ["class": "mark \(state.rawValue)", "aria-hidden": "true"], state.mark)
    }
}

extension ChannelState {
    /// The letter of its cells, as the script of all channels has it.
    fileprivate var mark: String { self == .healthy ? "·" : rawValue.prefix(1).uppercased() }
}
