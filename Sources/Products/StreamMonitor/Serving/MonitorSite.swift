package import HTTPServing
import HostSystem
import NielsenID3
import StreamHealth
import TextForms

/// The HTTP interface of a monitor.
package struct MonitorSite: Sendable {
    private let monitor: LiveMonitor
    private let registry: ChannelRegistry
    private let access: MonitorAccess
    private let bufferFolder: String
    private let documentation: CheckDocumentation?
    private let feed: ChannelFeed

    /// Creates the interface to a monitor and its list of channels.
    ///
    /// - Parameters:
    ///   - bufferFolder: The folder of the buffer.
    ///   - documentation: The documentation of the checks that the pages link to; nil for their own at `/checks/`.
    package init(
        _ monitor: LiveMonitor, registry: ChannelRegistry, access: MonitorAccess = MonitorAccess(),
        bufferFolder: String, documentation: CheckDocumentation? = nil
    ) {
        self.monitor = monitor
        self.registry = registry
        self.access = access
        self.bufferFolder = bufferFolder
        self.documentation = documentation
        feed = ChannelFeed(monitor, documentation: documentation)
    }

    /// The handlers of a path, by method.
    private struct Resource {
        /// The handler for GET and HEAD; nil if the path cannot be read.
        var read: (() -> HTTPServerAnswer)?
        /// The handlers for other methods.
        var changes: [String: () throws(ChannelChangeError) -> HTTPServerAnswer] = [:]
        /// Whether remote clients may read it without a token, because it reveals nothing about the channels.
        var isOpen = false

        var methods: String {
            ((read == nil ? [] : ["GET", "HEAD"]) + changes.keys.sorted()).joined(separator: ", ")
        }
    }

    /// Returns the server's next step for a complete request.
    package func step(after request: HTTPServerRequest, body: [UInt8] = []) -> RequestStep {
        let answer = answer(to: request, body: body)
        guard request.path == Self.eventPath, request.method == "GET", answer.status == 200 else {
            return .answer(answer)
        }
        guard let stream = feed.openStream() else {
            return .answer(
                .error(
                    503, "too_many_readers", "the maximum number of event streams is open",
                    fields: [.init(name: "Retry-After", value: "5")]))
        }
        return .stream(answer, stream)
    }

    private static let eventPath = "/events"

    private static let eventHead = HTTPServerAnswer(
        status: 200, type: "text/event-stream",
        // Keeps a buffering proxy from holding the events back.
        fields: fields + [.init(name: "X-Accel-Buffering", value: "no")], body: [])

    /// Returns the response to a request; for the event stream, only its head.
    package func answer(to request: HTTPServerRequest, body: [UInt8] = []) -> HTTPServerAnswer {
        if request.path == SignInPage.path, access.hasToken { return signIn(request, body) }
        let resource = resource(at: request.path, body: body, for: request)
        let isReading = ["GET", "HEAD"].contains(request.method)
        let isOpen = isReading && resource?.isOpen == true
        guard isOpen || access.mayRead(request) else { return refusal(request) }
        guard let resource else { return .error(404, "not_found", "there is no resource at this path") }
        // libmicrohttpd sends no body after HEAD.
        if isReading, let read = resource.read { return read() }
        guard let change = resource.changes[request.method] else {
            return .error(
                405, "method_not_allowed", "allowed methods: \(resource.methods)",
                fields: [.init(name: "Allow", value: resource.methods)])
        }
        guard access.mayChange(request) else {
            return .error(
                403, "forbidden",
                access.hasToken
                    ? "a change needs the token, or must come from a page of this monitor"
                    : "changes need --listen-token-file")
        }
        do throws(ChannelChangeError) {
            return try change()
        } catch {
            return .error(error.status, error.code, "\(error)")
        }
    }

    private func resource(at path: String, body: [UInt8], for request: HTTPServerRequest) -> Resource? {
        switch path {
        case "/healthz": Resource(read: { .text(200, "ok\n") }, isOpen: true)
        case "/readyz":
            Resource(
                read: {
                    monitor.isReady
                        ? .text(200, "ready\n") : .text(503, "not every channel has been tried yet\n")
                }, isOpen: true)
        case "/metrics":
            Resource(read: {
                HTTPServerAnswer(
                    status: 200, type: PrometheusText.mediaType, fields: Self.fields,
                    body: monitor.metricsText(bufferFolder: bufferFolder))
            })
        case "/": Resource(read: { OverviewPage.answer(allowsChanges: access.hasToken) })
        case Self.eventPath: Resource(read: { Self.eventHead })
        case "/api/channels":
            Resource(
                read: { .json(channels()) },
                changes: ["POST": { () throws(ChannelChangeError) in try add(body) }])
        case "/api/reload":
            Resource(changes: [
                "POST": { () throws(ChannelChangeError) in
                    let count = try registry.reload().count
                    return .json(Array("{\"channels\":\(count)}".utf8))
                }
            ])
        case "/api/acknowledgments":
            Resource(changes: ["POST": { () throws(ChannelChangeError) in try acknowledge(body) }])
        case "/api/mutes":
            Resource(
                read: { .json(monitor.handling.mutesJSON) },
                changes: ["POST": { () throws(ChannelChangeError) in try mute(body) }])
        default:
            explanation(at: path, for: request) ?? channelPage(at: path) ?? channel(at: path)
                ?? mute(at: path)
        }
    }

    // MARK: Alerts

    private func acknowledge(_ body: [UInt8]) throws(ChannelChangeError) -> HTTPServerAnswer {
        let request = try AlertHandlingRequest(json: body)
        let attribution = try request.attribution(at: monitor.clock.unixMilliseconds)
        guard let id = request.alert else { throw .invalid("alert: the id of an open alert is required") }
        try monitor.acknowledge(id, attribution)
        var writer = JSONWriter()
        attribution.write(to: &writer)
        return .json(writer.bytes)
    }

    private func mute(_ body: [UInt8]) throws(ChannelChangeError) -> HTTPServerAnswer {
        let request = try AlertHandlingRequest(json: body)
        let attribution = try request.attribution(at: monitor.clock.unixMilliseconds)
        guard (request.channel != nil) != (request.monitor == true) else {
            throw .invalid("channel: a channel or \"monitor\":true is required")
        }
        let mute = try monitor.mute(channel: request.channel, check: request.check, attribution)
        var writer = JSONWriter()
        mute.write(to: &writer)
        var answer = HTTPServerAnswer.json(writer.bytes)
        answer.status = 201
        answer.fields.append(.init(name: "Location", value: "/api/mutes/\(mute.id)"))
        return answer
    }

    private func mute(at path: String) -> Resource? {
        let prefix = "/api/mutes/"
        guard path.hasPrefix(prefix), let id = Int(path.dropFirst(prefix.count)),
            monitor.handling.mutes.contains(where: { $0.id == id })
        else { return nil }
        return Resource(changes: [
            "DELETE": { () throws(ChannelChangeError) in
                _ = try monitor.unmute(id)
                return HTTPServerAnswer(status: 204, body: [])
            }
        ])
    }

    /// Returns the explanation of a check: its meaning, the usual cause and the remedy.
    ///
    /// A browser gets a page, another client a text.
    private func explanation(at path: String, for request: HTTPServerRequest) -> Resource? {
        let prefix = "/checks/"
        guard path.hasPrefix(prefix),
            let check = CheckID(String(path.dropFirst(prefix.count))).declaration
        else { return nil }
        guard request[field: "Accept"]?.contains("text/html") == true else {
            return Resource(read: { .text(200, check.text()) })
        }
        return Resource(read: {
            let names = monitor.snapshots.map { ($0.id, $0.name) }
            return CheckPage(
                check: check, alerts: monitor.publishedAlerts.filter { $0.check == check.id },
                names: Dictionary(names) { first, _ in first }
            ).answer
        })
    }

    private func channelPage(at path: String) -> Resource? {
        let prefix = "/channels/"
        guard path.hasPrefix(prefix), let details = monitor.details(of: String(path.dropFirst(prefix.count)))
        else { return nil }
        return Resource(read: {
            ChannelPage(
                details: details, now: monitor.clock.unixMilliseconds,
                documentation: documentation ?? CheckDocumentation(prefix: "../checks/"),
                allowsChanges: access.hasToken
            ).answer
        })
    }

    // MARK: Channels

    private func channels() -> [UInt8] {
        let channels = monitor.snapshots
        var writer = JSONWriter(capacity: 512 * (channels.count + 1))
        writer.beginObject()
        channels.writeMember(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func channel(at path: String) -> Resource? {
        let prefix = "/api/channels/"
        guard path.hasPrefix(prefix) else { return nil }
        let words = path.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard let id = words.first.map(String.init), let details = monitor.details(of: id) else { return nil }
        switch words.dropFirst() {
        case []:
            return Resource(
                read: { .json(details) },
                changes: [
                    "DELETE": { () throws(ChannelChangeError) in
                        try registry.remove(id)
                        return HTTPServerAnswer(status: 204, body: [])
                    }
                ])
        case ["pause"], ["resume"]:
            let isPaused = words.last == "pause"
            return Resource(changes: [
                "POST": { () throws(ChannelChangeError) in
                    try registry.setPaused(id, isPaused)
                    return try told(id, status: 200)
                }
            ])
        default: return nil
        }
    }

    private func add(_ body: [UInt8]) throws(ChannelChangeError) -> HTTPServerAnswer {
        let id = try registry.add(json: body)
        var answer = try told(id, status: 201)
        answer.fields.append(.init(name: "Location", value: "/api/channels/\(id)"))
        return answer
    }

    /// Returns a channel with its state after a change.
    private func told(_ id: String, status: Int) throws(ChannelChangeError) -> HTTPServerAnswer {
        guard let details = monitor.details(of: id) else { throw .unknown(id: id) }
        var answer = HTTPServerAnswer.json(details)
        answer.status = status
        return answer
    }

    // MARK: Access

    private func refusal(_ request: HTTPServerRequest) -> HTTPServerAnswer {
        guard access.hasToken else {
            return .error(
                421, "misdirected",
                "without --listen-token-file, the Host of a request must be a loopback address")
        }
        if request[field: "Accept"]?.contains("text/html") == true {
            return SignInPage.answer(next: request.path)
        }
        return .error(
            401, "unauthorized", "the token is required",
            fields: [.init(name: "WWW-Authenticate", value: "Bearer")])
    }

    private func signIn(_ request: HTTPServerRequest, _ body: [UInt8]) -> HTTPServerAnswer {
        guard request.method == "POST" else { return SignInPage.answer() }
        let next = SignInPage.value(of: "next", in: body) ?? "/"
        guard let token = SignInPage.value(of: "token", in: body), access.isToken(token) else {
            return SignInPage.answer(isWrong: true, next: next)
        }
        return HTTPServerAnswer(
            status: 303, type: "text/plain",
            fields: Self.fields + [
                access.cookieField(for: request),
                .init(name: "Location", value: SignInPage.ownPath(next)),
            ],
            body: [])
    }

    /// The header fields of every response that must not be cached.
    static let fields = [HTTPServerRequest.Pair(name: "Cache-Control", value: "no-store")]
}

extension ChannelChangeError {
    fileprivate var status: Int {
        switch self {
        case .unknown: 404
        case .taken, .full, .noFile: 409
        case .invalid: 400
        case .unkept: 500
        }
    }

    fileprivate var code: String {
        switch self {
        case .unknown: "not_found"
        case .taken: "taken"
        case .full: "full"
        case .noFile: "no_file"
        case .invalid: "invalid"
        case .unkept: "unkept"
        }
    }
}

extension HTTPServerAnswer {
    /// Returns a JSON response.
    fileprivate static func json(_ text: [UInt8]) -> HTTPServerAnswer {
        HTTPServerAnswer(status: 200, fields: MonitorSite.fields, body: text)
    }

    /// Returns the details of a channel as JSON.
    fileprivate static func json(_ details: ChannelDetails) -> HTTPServerAnswer {
        var writer = JSONWriter()
        details.write(to: &writer)
        return .json(writer.bytes)
    }

    /// Returns a response of plain text.
    fileprivate static func text(_ status: Int, _ text: String) -> HTTPServerAnswer {
        HTTPServerAnswer(
            status: status, type: "text/plain; charset=utf-8", fields: MonitorSite.fields,
            body: Array(text.utf8))
    }
}
