package import HTTPServing

/// Serves what a monitor knows over HTTP, from when it is made until it is stopped.
package final class MonitorServer: Sendable {
    private let server: HTTPServer
    private let address: String

    /// Begins to listen.
    ///
    /// - Parameter site: what is served.
    package init(
        _ site: MonitorSite, address: String, port: UInt16
    ) throws(HTTPServingError) {
        var settings = HTTPServerSettings()
        settings.address = address
        settings.port = port
        self.address = address
        server = try HTTPServer(settings) { MonitorRequest($0, site: site) }
    }

    /// Where it listens, such as `http://127.0.0.1:9464/`.
    package var url: String {
        "http://\(address.contains(":") ? "[\(address)]" : address):\(server.port)/"
    }

    /// Listens no more, and waits for what is being answered, at most so long; blocks meanwhile.
    package func stop(within limit: Duration = .seconds(1)) {
        server.stopListening(waitingAtMost: limit)
    }
}

/// One request, answered when it has arrived.
private final class MonitorRequest: RequestHandler {
    private let request: HTTPServerRequest
    private let site: MonitorSite
    /// What describes a channel is far smaller.
    private var body = BoundedBody(maximumByteCount: 64 << 10)

    init(_ request: HTTPServerRequest, site: MonitorSite) {
        self.request = request
        self.site = site
    }

    func receive(_ bytes: Span<UInt8>) -> RequestStep {
        body.append(bytes)
        return body.state == .endless ? .drop : .proceed
    }

    func finish() -> RequestStep {
        if body.state != .complete {
            return .answer(.error(413, "too_large", "a body has at most 64 KiB"))
        }
        return site.step(after: request, body: body.bytes)
    }
}
