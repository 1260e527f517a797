import Foundation
import Glibc
import HLSInput
import HTTPServing
import HTTPTransfer
import HostSystem
import StreamMonitor
import Synchronization
import TagDelivery
import TagStore
import TextForms

/// `dtvr monitor`: follows live channels until it is stopped.
struct MonitorCommand {
    private let context: CommandContext
    private let channelsPath: String?

    init(_ context: CommandContext) {
        self.context = context
        channelsPath = context.invocation[.channels]
    }

    func perform() async throws(UsageError) -> ExitStatus {
        if channelsPath == nil {
            try context.requireOperands("channel")
        } else {
            try context.refuseOperands()
        }
        let listed = try listedChannels()
        if context.invocation.isOn(.checkConfig) {
            context.console.print(Self.count(listed.channels.count))
            return .done
        }
        HostMemory.useFewArenas()
        ProcessFacts.raiseOpenFileLimit()
        let listening = try listeningPlace()
        let collector = try CollectorAccess(context)
        let fetcher = try InputAccess.makeFetcher(context)
        let alerting = try AlertAccess(context)
        var access = try StoreAccess(context)
        let registry = registry(listed, in: access.directory)
        if registry.channels.isEmpty, listening?.token == nil {
            throw context.usageError("the channel file contains no channel")
        }
        let size = BufferSize(
            channelCount: max(1, registry.channels.count), folder: access.directory,
            limit: context.invocation.bytes(.maxBytes)
        )
        access.usualByteCount = size.byteCount
        guard let store = await access.open() else { return access.statusWithoutStore }
        context.console.note(size.text)
        let lostBefore = store.losses().memoryLost
        do throws(UsageError) {
            try await monitor(
                registry, into: store, of: access.directory, through: fetcher, to: collector,
                alerting: alerting, at: listening)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        let lost = store.losses().memoryLost - lostBefore
        guard lost == 0 else {
            context.console.note(
                "\(lost) tags were in memory only, because the disk is full or read-only, and were lost")
            return .store
        }
        return .done
    }

    private func monitor(
        _ registry: ChannelRegistry, into store: TagBuffer, of folder: String,
        through fetcher: ResourceFetcher, to collector: CollectorAccess?, alerting: AlertAccess,
        at listening: Listening?
    ) async throws(UsageError) {
        let console = context.console
        console.detachNotes()
        defer { console.attachNotes(within: 1) }
        let queue = alerting.webhookQueue(in: folder)
        let alerts = ActiveAlerts(path: "\(folder)/alerts.json", webhook: queue)
        if let problem = alerts.problem {
            console.note("\(folder)/alerts.json: the active alerts cannot be read: \(problem)")
        }
        let evidence = EvidenceRecorder(folder: "\(folder)/evidence") { console.note($0) }
        let services = MonitorServices(
            fetcher: fetcher, buffer: store, allowsPrivateAddresses: context.invocation.isOn(.allowPrivate),
            evidence: evidence
        ) { console.note($0) }
        let screen = MonitorScreen(context)
        let monitor = LiveMonitor(services, alerts: alerts) { event in
            screen.show(event)
            alerting.command?.observe(event)
        }
        let server = try serve(monitor, registry, of: folder, at: listening)
        let service = serve(store, in: folder)
        registry.begin { monitor.follow($0, paused: $1) }
        // Install the SIGHUP handler before the service manager may request a reload.
        let reloading = reloads(registry)
        let manager = ServiceNotifier(environment: context.environment)
        manager?.send(.ready(status: ChannelTable.text(of: monitor.summary)))
        let running = Task {
            // The watchdog message depends on the channel clock, so it proves that the process makes progress.
            await monitor.run { manager?.send(.alive(status: ChannelTable.text(of: monitor.summary))) }
        }
        let recording = Task { await evidence.run() }
        let sending = Task { await alerting.send(queue) }
        let uploading = Task { await upload(from: store, to: collector) }
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
        sending.cancel()
        recording.cancel()
        await alerting.command?.stop(within: .seconds(2))
        await sending.value
        await recording.value
        await drawing.value
        screen.finish()
        await uploading.value
    }

    // MARK: HTTP

    /// The listening address and the access token.
    private struct Listening {
        let place: ListeningPlace
        let token: String?
    }

    private func listeningPlace() throws(UsageError) -> Listening? {
        let token = try context.listenToken()
        guard let text = context.invocation[.listen] else {
            if token != nil { throw context.usageError("--listen-token-file requires --listen") }
            return nil
        }
        guard let place = ListeningPlace(text), let address = SocketAddress(place.address) else {
            throw context.usageError("--listen takes an address such as 127.0.0.1:9464, not '\(text)'")
        }
        if token == nil, AddressScope(of: address) != .loopback {
            throw context.usageError(
                "--listen takes a loopback address such as 127.0.0.1:9464, not '\(text)'; others require "
                    + "--listen-token-file")
        }
        return Listening(place: place, token: token)
    }

    private func serve(
        _ monitor: LiveMonitor, _ registry: ChannelRegistry, of folder: String, at listening: Listening?
    ) throws(UsageError) -> MonitorServer? {
        guard let listening else { return nil }
        do throws(HTTPServingError) {
            let site = MonitorSite(
                monitor, registry: registry, access: MonitorAccess(token: listening.token),
                bufferFolder: folder)
            let server = try MonitorServer(site, address: listening.place.address, port: listening.place.port)
            context.console.note("listening on \(server.url)")
            return server
        } catch {
            throw context.usageError("--listen: \(error)")
        }
    }

    /// Serves the buffer to `dtvr store`, which cannot open it while this process holds it.
    private func serve(_ store: TagBuffer, in folder: String) -> BufferService? {
        do throws(HTTPServingError) {
            return try BufferService(store, in: folder)
        } catch {
            context.console.note("dtvr store cannot connect to this monitor: \(error)")
            return nil
        }
    }

    // MARK: Delivery

    private func upload(from store: TagBuffer, to collector: CollectorAccess?) async {
        guard let collector else {
            return context.console.note(
                "no collector is configured: the tags stay in the buffer for 'dtvr upload'")
        }
        let alert = DeadLetterAlert(context.console)
        _ = await alert.status(of: store)
        let watch = alert.watch()
        let problem = ProblemLatch(end: "the collector accepts tags again") { context.console.note($0) }
        let uploader = Uploader(buffer: store, sink: collector.sink) { progress in
            watch(progress)
            problem.set(progress.lastTrouble.map { "\($0); the tags wait in the buffer" })
        }
        do throws(StoreError) {
            try await uploader.run()
        } catch {
            context.console.note("the upload has stopped: \(error)")
        }
        context.console.note(DeliverySummary(uploader.progress, collector: collector.url).text)
    }

    // MARK: Channels

    /// Returns the channels from the command line or the channel file.
    private func listedChannels() throws(UsageError) -> ChannelFile {
        guard let channelsPath else {
            for url in context.operands where !ChannelFile.isAddress(url) {
                throw context.usageError("a live channel needs an http or https address, not '\(url)'")
            }
            return ChannelFile(
                channels: ChannelSettings.channels(at: context.operands, like: model), defaults: model)
        }
        do throws(ChannelChangeError) {
            return try readChannels(channelsPath)
        } catch {
            throw context.usageError("\(error)")
        }
    }

    /// Returns the channels to follow: the listed ones, with the changes that clients make at run time.
    ///
    /// Saved changes apply only to a channel file, not to channels on the command line.
    private func registry(_ listed: ChannelFile, in folder: String) -> ChannelRegistry {
        guard let channelsPath else { return ChannelRegistry(listed, savedAt: nil) }
        let path = "\(folder)/channels.json"
        let registry = ChannelRegistry(listed, savedAt: path) { () throws(ChannelChangeError) in
            let file = try readChannels(channelsPath)
            // An empty list probably means that the file is being written, not that every channel should end.
            if file.channels.isEmpty {
                throw .invalid("the channel file '\(channelsPath)' contains no channel")
            }
            return file
        }
        if let problem = registry.problem {
            context.console.note("\(path): the saved channel changes cannot be read: \(problem)")
        }
        return registry
    }

    /// The default settings of a channel.
    private var model: ChannelSettings {
        var model = ChannelSettings(id: "", url: "", policy: context.invocation.healthPolicy)
        if let rendition = context.invocation[.rendition] { model.rendition = FollowedRendition(rendition) }
        return model
    }

    private func readChannels(_ path: String) throws(ChannelChangeError) -> ChannelFile {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .invalid("cannot read the channel file '\(path)'")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw .invalid("the channel file '\(path)' is not UTF-8")
        }
        do throws(ChannelFile.Fault) {
            return try ChannelFile(parsing: text, defaults: model, environment: context.environment)
        } catch {
            throw .invalid("\(path):\(error.line): \(error.message)")
        }
    }

    /// Reloads the channel file on SIGHUP; a file with errors changes nothing.
    ///
    /// A SIGHUP from a closed terminal ends the monitor instead.
    private func reloads(_ registry: ChannelRegistry) -> (any DispatchSourceSignal)? {
        guard let channelsPath else { return nil }
        // The dispatch source handles the signal; its default action would end the process.
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        let hasTerminal = isatty(STDOUT_FILENO) == 1
        let hasHungUp = Mutex(false)
        source.setEventHandler {
            if hasTerminal, isatty(STDOUT_FILENO) == 0 {
                // The shell and the kernel send one SIGHUP each, and a second SIGTERM would end the process at once.
                let isFirst = hasHungUp.withLock { hasHungUp in
                    defer { hasHungUp = true }
                    return !hasHungUp
                }
                // Send it to the process: the threads of this queue block the signal.
                if isFirst, !Interruption.shared.isRequested { kill(getpid(), SIGTERM) }
                return
            }
            do throws(ChannelChangeError) {
                let count = try registry.reload()
                context.console.note("\(channelsPath): reloaded, \(Self.count(count))")
            } catch {
                context.console.note("\(error); the channels are unchanged")
            }
        }
        source.resume()
        return source
    }

    private static func count(_ count: Int) -> String { count == 1 ? "1 channel" : "\(count) channels" }
}
