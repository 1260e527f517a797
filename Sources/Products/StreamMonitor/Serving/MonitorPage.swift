import HTTPServing
import Reporting

/// A page of the monitor: it may ask this server for what it shows, and nobody for anything else.
struct MonitorPage {
    private var frame: PageFrame

    /// What an icon is before a script knows better.
    private static let icon = "data:,"

    init(_ frame: PageFrame) {
        self.frame = frame
        self.frame.sources = "connect-src 'self'; img-src data:; "
        self.frame.icon = Self.icon
    }

    /// The page as it is answered; `body` writes what is in it.
    func answer(_ body: (inout HTMLWriter) -> Void) -> HTTPServerAnswer {
        HTTPServerAnswer(
            status: 200, type: "text/html; charset=utf-8",
            fields: MonitorSite.fields + [
                // The policy again, with what only a header can say: no page of another site shows this one.
                .init(
                    name: "Content-Security-Policy", value: frame.policy + "; frame-ancestors 'none'"),
                .init(name: "X-Content-Type-Options", value: "nosniff"),
                .init(name: "Referrer-Policy", value: "no-referrer"),
            ], body: frame.bytes(capacity: 1 << 16, body))
    }
}
