import HTTPServing
import HTTPTransfer
import StreamMonitor

/// The address and the access token of a monitor's pages and metrics.
struct MonitorListener {
    private let context: CommandContext
    private let address: ListenAddress
    private let token: String?

    /// Reads and validates the options, and returns nil without `--listen`.
    init?(_ context: CommandContext) throws(UsageError) {
        self.context = context
        token = try Self.token(context)
        guard let text = context.invocation[.listen] else {
            if token != nil { throw context.usageError("--listen-token-file requires --listen") }
            return nil
        }
        address = try context.listenAddress(text, example: "127.0.0.1:9464")
        guard let socket = SocketAddress(address.host) else {
            throw context.usageError("--listen takes an address such as 127.0.0.1:9464, not '\(text)'")
        }
        if token == nil, AddressScope(of: socket) != .loopback {
            throw context.usageError(
                "--listen takes a loopback address such as 127.0.0.1:9464, not '\(text)'; others require "
                    + "--listen-token-file")
        }
    }

    /// The explanations of the checks on the pages; nil if clients cannot reach them at the address of `--listen`.
    var documentation: CheckDocumentation? {
        guard address.port != 0, !["0.0.0.0", "::"].contains(address.host) else { return nil }
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return CheckDocumentation(prefix: "http://\(host):\(address.port)/checks/")
    }

    /// Whether clients with the token can change the channels.
    var allowsChanges: Bool { token != nil }

    private static func token(_ context: CommandContext) throws(UsageError) -> String? {
        guard let file = context.invocation[.listenTokenFile] else { return nil }
        let token = try context.token(.listenTokenFile, in: file)
        guard token.utf8.count >= MonitorAccess.shortestTokenLength else {
            throw context.usageError(
                "--listen-token-file: the token in '\(file)' is shorter than "
                    + "\(MonitorAccess.shortestTokenLength) characters, so it could be guessed")
        }
        return token
    }

    /// Starts the server.
    func serve(
        _ monitor: LiveMonitor, _ registry: ChannelRegistry, bufferFolder: String,
        documentation: CheckDocumentation?
    ) throws(UsageError) -> MonitorServer {
        do throws(HTTPServingError) {
            let site = MonitorSite(
                monitor, registry: registry, access: MonitorAccess(token: token), bufferFolder: bufferFolder,
                documentation: documentation)
            let server = try MonitorServer(site, address: address.host, port: address.port)
            context.console.note("listening on \(server.url)")
            return server
        } catch {
            throw context.usageError("--listen: \(error)")
        }
    }
}

extension Setting {
    static let listenTokenFile = Setting(
        "listen-token-file", .path("FILE"),
        help: """
            require the token in FILE for requests to --listen; with a token, clients can also make changes, and \
            --listen accepts any address
            """)
}
