package import HTTPServing
import TextForms

/// What a monitor answers to requests; none of them changes anything.
package struct MonitorSite: Sendable {
    private let monitor: LiveMonitor
    private let bufferFolder: String

    /// What the monitor knows.
    ///
    /// - Parameter bufferFolder: where its buffer is.
    package init(_ monitor: LiveMonitor, bufferFolder: String) {
        self.monitor = monitor
        self.bufferFolder = bufferFolder
    }

    /// The answer to a request.
    package func answer(to request: HTTPServerRequest) -> HTTPServerAnswer {
        guard let answer = resource(at: request.path) else {
            return .error(404, "not_found", "there is nothing at this path")
        }
        // libmicrohttpd sends no body after HEAD.
        guard ["GET", "HEAD"].contains(request.method) else {
            return .error(
                405, "method_not_allowed", "GET only", fields: [.init(name: "Allow", value: "GET, HEAD")])
        }
        return answer()
    }

    private func resource(at path: String) -> (() -> HTTPServerAnswer)? {
        switch path {
        case "/healthz": { .text(200, "ok\n") }
        case "/readyz":
            {
                monitor.isReady
                    ? .text(200, "ready\n") : .text(503, "not every channel was tried once yet\n")
            }
        case "/metrics":
            {
                HTTPServerAnswer(
                    status: 200, type: PrometheusText.mediaType, fields: Self.fields,
                    body: monitor.metricsText(bufferFolder: bufferFolder))
            }
        case "/api/channels": { .json(channels()) }
        default: channel(at: path)
        }
    }

    private func channels() -> [UInt8] {
        let channels = monitor.snapshots
        var writer = JSONWriter(capacity: 512 * (channels.count + 1))
        writer.beginObject()
        writer.key("channels")
        writer.beginArray()
        for channel in channels {
            writer.beginObject()
            channel.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private func channel(at path: String) -> (() -> HTTPServerAnswer)? {
        let prefix = "/api/channels/"
        guard path.hasPrefix(prefix), let details = monitor.details(of: String(path.dropFirst(prefix.count)))
        else { return nil }
        return {
            var writer = JSONWriter()
            details.write(to: &writer)
            return .json(writer.bytes)
        }
    }

    /// What goes with everything that is different the next time.
    static let fields = [HTTPServerRequest.Pair(name: "Cache-Control", value: "no-store")]
}

extension HTTPServerAnswer {
    /// A JSON text.
    fileprivate static func json(_ text: [UInt8]) -> HTTPServerAnswer {
        HTTPServerAnswer(status: 200, fields: MonitorSite.fields, body: text)
    }

    /// A line of text.
    fileprivate static func text(_ status: Int, _ text: String) -> HTTPServerAnswer {
        HTTPServerAnswer(
            status: status, type: "text/plain; charset=utf-8", fields: MonitorSite.fields,
            body: Array(text.utf8))
    }
}
