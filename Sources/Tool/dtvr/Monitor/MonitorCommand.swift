import Foundation
import HLSInput
import HTTPServing
import HTTPTransfer
import HostSystem
import StreamMonitor
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
        let channels = try channels()
        if context.invocation.isOn(.checkConfig) {
            context.console.print(Self.count(channels.count))
            return .done
        }
        if channels.isEmpty { throw context.usageError("the channel file names no channel") }
        let listening = try listeningPlace()
        let collector = try CollectorAccess(context)
        let fetcher = try InputAccess.makeFetcher(context)
        var access = try StoreAccess(context)
        let size = BufferSize(
            channelCount: channels.count, folder: access.directory, limit: context.invocation.bytes(.maxBytes)
        )
        access.usualByteCount = size.byteCount
        guard let store = await access.open() else { return access.statusWithoutStore }
        context.console.note(size.text)
        let lostBefore = store.losses().memoryLost
        do throws(UsageError) {
            try await monitor(
                channels, into: store, of: access.directory, through: fetcher, to: collector, at: listening)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        let lost = store.losses().memoryLost - lostBefore
        guard lost == 0 else {
            context.console.note(
                "\(lost) tags were in memory only, because the disk takes nothing, and are lost")
            return .store
        }
        return .done
    }

    private func monitor(
        _ channels: [ChannelSettings], into store: TagBuffer, of folder: String,
        through fetcher: ResourceFetcher, to collector: CollectorAccess?, at listening: ListeningPlace?
    ) async throws(UsageError) {
        let console = context.console
        let alerts = ActiveAlerts(path: "\(folder)/alerts.json")
        if let problem = alerts.problem {
            console.note("\(folder)/alerts.json: the active alerts cannot be read: \(problem)")
        }
        let services = MonitorServices(
            fetcher: fetcher, buffer: store, allowsPrivateAddresses: context.invocation.isOn(.allowPrivate)
        ) { console.note($0) }
        let screen = MonitorScreen(context)
        let monitor = LiveMonitor(services, alerts: alerts) { screen.show($0) }
        let server = try serve(monitor, of: folder, at: listening)
        monitor.follow(channels)
        // Before the service manager may ask for it.
        let reloading = reloads(monitor)
        let manager = ServiceNotifier(environment: context.environment)
        manager?.send(.ready(status: ChannelTable.text(of: monitor.summary)))
        let running = Task {
            // While the clock of the channels runs on, the watchdog knows that this process works.
            await monitor.run { manager?.send(.alive(status: ChannelTable.text(of: monitor.summary))) }
        }
        let uploading = Task { await upload(from: store, to: collector) }
        let drawing = Task { await screen.redraw(monitor) }
        Interruption.shared.becomeService()
        Interruption.shared.onRequest { running.cancel() }
        await running.value
        manager?.send(.stopping)
        server?.stop()
        reloading?.cancel()
        drawing.cancel()
        uploading.cancel()
        await drawing.value
        await uploading.value
    }

    // MARK: HTTP

    private func listeningPlace() throws(UsageError) -> ListeningPlace? {
        guard let text = context.invocation[.listen] else { return nil }
        guard let place = ListeningPlace(text), let address = SocketAddress(place.address),
            AddressScope(of: address) == .loopback
        else {
            throw context.usageError(
                "--listen takes a loopback address such as 127.0.0.1:9464, not '\(text)'")
        }
        return place
    }

    private func serve(
        _ monitor: LiveMonitor, of folder: String, at place: ListeningPlace?
    ) throws(UsageError) -> MonitorServer? {
        guard let place else { return nil }
        do throws(HTTPServingError) {
            let server = try MonitorServer(
                MonitorSite(monitor, bufferFolder: folder), address: place.address, port: place.port)
            context.console.note("listening on \(server.url)")
            return server
        } catch {
            throw context.usageError("--listen: \(error)")
        }
    }

    // MARK: Delivery

    private func upload(from store: TagBuffer, to collector: CollectorAccess?) async {
        guard let collector else {
            return context.console.note(
                "no collector is named: the tags stay in the buffer for 'dtvr upload'")
        }
        let alert = DeadLetterAlert(context.console)
        _ = await alert.status(of: store)
        let uploader = Uploader(buffer: store, sink: collector.sink, report: alert.watch())
        do throws(StoreError) {
            try await uploader.run()
        } catch {
            context.console.note("the tags are not uploaded any more: \(error)")
        }
        context.console.note(DeliverySummary(uploader.progress, collector: collector.url).text)
    }

    // MARK: Channels

    private func channels() throws(UsageError) -> [ChannelSettings] {
        guard let channelsPath else {
            for url in context.operands where !ChannelFile.isAddress(url) {
                throw context.usageError("a live channel has an http or https address, which '\(url)' is not")
            }
            return ChannelSettings.channels(at: context.operands, like: model)
        }
        do throws(ChannelFileProblem) {
            return try readChannels(channelsPath)
        } catch {
            throw context.usageError(error.text)
        }
    }

    /// What a channel is like that sets nothing of its own.
    private var model: ChannelSettings {
        var model = ChannelSettings(id: "", url: "", policy: context.invocation.healthPolicy)
        if let rendition = context.invocation[.rendition] { model.rendition = FollowedRendition(rendition) }
        return model
    }

    /// What is wrong with the channel file, in one line.
    private struct ChannelFileProblem: Error {
        let text: String
    }

    private func readChannels(_ path: String) throws(ChannelFileProblem) -> [ChannelSettings] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ChannelFileProblem(text: "cannot read the channel file '\(path)'")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw ChannelFileProblem(text: "the channel file '\(path)' is not UTF-8")
        }
        do throws(ChannelFile.Fault) {
            return try ChannelFile(
                parsing: text, defaults: model, environment: context.environment
            ).channels
        } catch {
            throw ChannelFileProblem(text: "\(path):\(error.line): \(error.message)")
        }
    }

    /// Reads the channel file again whenever the process gets a SIGHUP; a file with a fault changes nothing.
    private func reloads(_ monitor: LiveMonitor) -> (any DispatchSourceSignal)? {
        guard let channelsPath else { return nil }
        // The source takes the signal, whose own action would be the end.
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler {
            do throws(ChannelFileProblem) {
                let channels = try readChannels(channelsPath)
                monitor.follow(channels)
                context.console.note("\(channelsPath): read again, \(Self.count(channels.count))")
            } catch {
                context.console.note("\(error.text); the channels stay as they were")
            }
        }
        source.resume()
        return source
    }

    private static func count(_ count: Int) -> String { count == 1 ? "1 channel" : "\(count) channels" }
}
