package import HTTPServing

/// Serves the monitor over HTTP from its creation until it is stopped.
package final class MonitorServer: Sendable {
    private let server: HTTPServer
    private let address: String

    /// Starts to listen.
    ///
    /// - Parameter site: The responder to the requests.
    package init(
        _ site: MonitorSite, address: String, port: UInt16
    ) throws(HTTPServingError) {
        var settings = HTTPServerSettings()
        settings.address = address
        settings.port = port
        self.address = address
        server = try HTTPServer(settings) { MonitorRequest($0, site: site) }
    }

    /// The address of the server, such as `http://127.0.0.1:9464/`.
    package var url: String {
        "http://\(address.contains(":") ? "[\(address)]" : address):\(server.port)/"
    }

    /// Stops listening and waits up to `limit` for responses in progress; blocks meanwhile.
    package func stop(within limit: Duration = .seconds(1)) {
        server.stopListening(waitingAtMost: limit)
    }
}

/// A request, which is answered when its body is complete.
private final class MonitorRequest: RequestHandler {
    private let request: HTTPServerRequest
    private let site: MonitorSite
    /// The description of a channel is far smaller.
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
            return .answer(.error(413, "too_large", "the body is larger than 64 KiB"))
        }
        return site.step(after: request, body: body.bytes)
    }
}
