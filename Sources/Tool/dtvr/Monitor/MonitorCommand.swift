import Dispatch
import HLSInput
import HTTPServing
import HTTPTransfer
import HostSystem
import StreamMonitor
import TagDelivery
import TagStore

/// `dtvr monitor`: follows live channels until it is stopped.
struct MonitorCommand: Command {
    /// The minimum time between the starts of two commits, so that channels share them.
    private static let commitInterval = Duration.milliseconds(50)

    static let declaration = CommandDeclaration(
        "monitor",
        summary: "follow live channels, buffer their tags, and raise alerts",
        operands: "URL...",
        description: """
            Follows the live channels at the URLs, or those that the file of --channels lists, until it is stopped. \
            It loads their playlists, reads each segment once, checks the tags, buffers them and uploads them to \
            --collector. On a terminal it shows a table, otherwise one line per change; --format jsonl prints every \
            tag, state, alert and finding. It exits with status 0 within 5 s of SIGINT or SIGTERM.
            """,
        details: [
            """
            A live playlist is reloaded after its target duration, or after half of it if the playlist has not \
            changed. Each segment is read once, while it is downloaded. Tags are buffered and uploaded as they \
            arrive. After a restart, each channel continues after its last buffered tag, and active alerts stay \
            active.
            """,
            """
            A channel is connecting, healthy, degraded (a check had a finding within the last minute), silent (no \
            tag within the limit of presence.silent), unreachable, paused (quiet hours) or ended. Each alert is \
            raised once and cleared once. Missing tags and a playlist that stalls or ends raise an alert immediately; \
            other findings raise one when they occur twice within a minute.
            """,
            """
            When an alert is raised, the playlist and the newest segments of the channel are saved in a folder \
            under evidence in the folder of the buffer, up to 8 MiB per alert and 200 MiB in total. dtvr-check(1) \
            reads the index.m3u8 of that folder. The secrets of the channel are removed.
            """,
            """
            With --alert-webhook, each alert is sent by POST in the form of --alert-format: as the object that \
            --format jsonl prints, or as Alertmanager (the address ends with /api/v2/alerts), PagerDuty (Events API \
            v2), a Slack incoming webhook or a Microsoft Teams workflow expect it. It has the fields \
            X-DTVR-Timestamp and Idempotency-Key. With --alert-key-file, it also has the field \
            X-DTVR-Signature: sha256= and the HMAC-SHA-256 of the timestamp, a period and the body. An alert is \
            retried, even after a restart, until it is accepted (2xx), refused (4xx other than 401, 403, 404, 407, \
            408, 410, 425 and 429) or a day old. Redirects are not followed.
            """,
            """
            The program of --alert-command has 30 s to finish. Of the environment, it inherits only PATH, HOME, \
            USER, LOGNAME, SHELL, LANG, LC_ALL, TZ and TMPDIR.
            """,
            """
            With --shard I/N, only the channels of shard I are followed: N monitors with the same channel file follow \
            each channel once. A channel belongs to a shard by its id. Two monitors with the same shard and separate \
            buffers are a pair: they give each tag the same id, so a collector with a ledger keeps it once.
            """,
            """
            A channel file has a section [channel ID] for each channel, with the keys url, name, backup, \
            compare-backup, rendition, header (Name: value, where ${NAME} is the value of an environment \
            variable), ca-file, client-cert, proxy, quiet (02:00-05:30), expect-tags-in-ads, may-end, ignore and \
            accept (ids of checks) and the limits of the checks. The section [defaults] applies to all channels. \
            SIGHUP reloads the file; a file with errors is ignored.
            """,
        ],
        settings: [
            .format(["text", "jsonl"]).adapted {
                $0.help =
                    "the format of the output; text is a table on a terminal, and one line per event otherwise"
            },
            .rendition.adapted {
                $0.kind = .text("auto|all|lowest|highest|audio|URI")
                $0.defaultText = "auto"
                $0.suggestions = FollowedRendition.words
                $0.help =
                    "which renditions of a multivariant playlist to follow; auto: the cheapest that carries tags"
            },
            .allowPrivate, .store, .maxAge,
            .maxBytes.adapted {
                $0.defaultText = nil
                $0.help =
                    "the maximum disk space of the buffer; by default, 30 MB per channel, up to half of the free disk "
                    + "space"
            },
            .whenFull, .wait, .collector, .tokenFile, .cacert,
            .listen.adapted {
                $0.kind = .text("ADDR:PORT")
                $0.defaultText = nil
                $0.help =
                    "serve metrics and the state of the channels over HTTP at this address; without "
                    + "--listen-token-file, it must be a loopback address; port 0 picks a free port"
            },
            .listenTokenFile, .channels, .shard, .checkConfig, .connect, .alertWebhook, .alertFormat,
            .alertKeyFile, .alertCommand, .publicURL, .docs,
        ] + Setting.limitsOfChannels,
        exitStatuses: [.store, .delivery],
        examples: [
            CommandExample(
                "dtvr monitor https://cdn.example.com/one/master.m3u8", "one live channel, as a table"),
            CommandExample(
                "dtvr monitor --channels tv --collector https://collector.example.com/",
                "all channels of a file, with upload of their tags"),
            CommandExample(
                "dtvr monitor --channels tv --check-config", "the errors in a channel file"),
            CommandExample(
                "dtvr monitor --channels tv --listen 127.0.0.1:9464",
                "metrics for Prometheus at http://127.0.0.1:9464/metrics"),
            CommandExample(
                "dtvr monitor --channels tv --alert-webhook https://alerts.example/",
                "a request for each alert that is raised or cleared"),
            CommandExample(
                "dtvr monitor --channels tv --format jsonl",
                "one JSON line for every tag and every change"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        if context.invocation.isOn(.checkConfig) { return try await ConfigurationCheck(context).perform() }
        try context.refuse([.connect], "requires --check-config")
        context.console.limitWaitForNotes()
        context.console.addTimesToNotes(environment: context.environment)
        let listing = try ChannelListing(context)
        ProcessFacts.keepLittleUnusedMemory()
        ProcessFacts.raiseOpenFileLimit()
        let listener = try MonitorListener(context)
        let delivery = try Delivery(context)
        let fetcher = try InputAccess.makeFetcher(context)
        let alerting = try AlertAccess(context)
        var access = try StoreAccess(context)
        let registry = listing.registry(in: access.directory)
        if registry.channels.isEmpty, listener?.allowsChanges != true, !listing.isShard {
            throw context.usageError("the channel file contains no channel")
        }
        let size = BufferSize(
            channelCount: max(1, registry.channels.count), folder: access.directory,
            limit: context.invocation.bytes(.maxBytes)
        )
        access.usualByteCount = size.byteCount
        access.commitInterval = Self.commitInterval
        guard let store = await access.open() else { return access.statusWithoutStore }
        context.console.note(size.text)
        let lostBefore = store.losses().memoryLost
        do throws(UsageError) {
            try await monitor(
                registry, of: listing, into: store, in: access.directory, through: fetcher, by: delivery,
                alerting: alerting, at: listener)
        } catch {
            await store.close()
            throw error
        }
        return await access.close(.own(store), lostBefore: lostBefore)
    }

    private func monitor(
        _ registry: ChannelRegistry, of listing: ChannelListing, into store: TagBuffer, in folder: String,
        through fetcher: ResourceFetcher, by delivery: Delivery, alerting access: AlertAccess,
        at listener: MonitorListener?
    ) async throws(UsageError) {
        let console = context.console
        console.detachNotes()
        defer { console.attachNotes(within: 1) }
        let alerts = access.openPipeline(in: folder, listener: listener)
        let delivering = delivery.live(from: store)
        let services = MonitorServices(
            fetcher: fetcher, buffer: store, allowsPrivateAddresses: context.invocation.isOn(.allowPrivate),
            policy: context.invocation.healthPolicy, delivery: { delivering?.progress },
            note: { console.note($0) })
        let screen = MonitorScreen(context)
        let monitor = LiveMonitor(services, alerts: alerts) { screen.show($0) }
        let server = try listener?.serve(
            monitor, registry, bufferFolder: folder, documentation: access.documentation)
        let service = BufferSocket.serving(store, in: folder, console: console)
        registry.begin { monitor.follow($0, paused: $1) }
        // Install the SIGHUP handler before the service manager may request a reload.
        let reloading = listing.reloads(registry) { delivering?.reload() }
        let manager = ServiceNotifier(environment: context.environment)
        manager?.send(.ready(status: ChannelTable.text(of: monitor.summary)))
        let running = Task {
            // The watchdog message depends on the channel clock, so it proves that the process makes progress.
            await monitor.run { manager?.send(.alive(status: ChannelTable.text(of: monitor.summary))) }
        }
        let alerting = Task { await alerts.run() }
        let uploading = Task { await deliver(store, by: delivery, live: delivering) }
        let drawing = Task { await screen.redraw(monitor) }
        Interruption.shared.becomeService()
        Interruption.shared.onRequest { running.cancel() }
        await running.value
        manager?.send(.stopping)
        server?.stop()
        service?.stop()
        reloading?.cancel()
        drawing.cancel()
        uploading.cancel()
        alerting.cancel()
        await alerts.stop(within: .seconds(2))
        await alerting.value
        await drawing.value
        screen.finish()
        await uploading.value
    }

    /// Uploads tags until the task is cancelled, and reports problems of the collector meanwhile.
    private func deliver(_ store: TagBuffer, by delivery: Delivery, live delivering: LiveDelivery?) async {
        guard let delivering else { return delivery.warnOfMissingCollector() }
        _ = await delivery.reportDeadLetters(in: store)
        if let error = await delivering.run() { context.console.note("the upload has stopped: \(error)") }
        context.console.note(delivering.summary)
    }
}

extension Setting {
    static let checkConfig = Setting(
        "check-config", .toggle,
        help: "validate the channel file and the settings of the monitor, report all errors, and exit")
    static let connect = Setting(
        "connect", .toggle,
        help: "with --check-config: also load the playlist of each channel, and find its rendition")
}

/// `dtvr monitor --check-config`: reports all errors of the channel file, without the usage text.
struct ConfigurationCheck {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    /// Prints the errors, or the number of channels, and returns the exit status.
    func perform() async throws(UsageError) -> ExitStatus {
        let faults: [String]
        do throws(ChannelChangeError) {
            faults = try ChannelListing.faults(context)
        } catch {
            return report(["\(error)"])
        }
        if !faults.isEmpty { return report(faults) }
        let listing = try ChannelListing(context)
        do throws(UsageError) {
            // The programs, files and addresses that the monitor would use.
            _ = try MonitorListener(context)
            _ = try Delivery(context)
            _ = try AlertAccess(context)
        } catch {
            return report([error.message])
        }
        if context.invocation.isOn(.connect) {
            let fetcher = try InputAccess.makeFetcher(context)
            let probe = ChannelProbe(
                fetcher: fetcher, allowsPrivateAddresses: context.invocation.isOn(.allowPrivate))
            let bar = ProgressBar("Loading", on: context.console)
            let count = listing.channels.count
            let problems = await probe.problems(of: listing.channels) { bar.show($0, of: count, "channels") }
            bar.end()
            if Task.isCancelled { return .interrupted }
            if !problems.isEmpty { return report(problems) }
        }
        context.console.print(listing.countText)
        if listing.channels.isEmpty { context.console.note("the channel file contains no channel") }
        return .done
    }

    private func report(_ faults: [String]) -> ExitStatus {
        for fault in faults { context.console.note(fault) }
        return .usage
    }
}

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

    /// The address of the pages; nil if clients cannot reach them at the address of `--listen`.
    var pages: String? {
        guard address.port != 0, !["0.0.0.0", "::"].contains(address.host) else { return nil }
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return "http://\(host):\(address.port)/"
    }

    /// The port; 0 selects a free one.
    var port: UInt16 { address.port }

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
