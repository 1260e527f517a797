import HostSystem
import NielsenID3
import StreamHealth
import Synchronization
import TagDelivery
import TagStore
import TextForms

/// The live changes of a monitor, for all readers of the event stream.
///
/// The feed has no queue per reader: each reader asks for the changes after its own revision. A slow reader skips
/// intermediate changes, and neither the monitor nor another reader waits for it. Without readers the feed does no
/// work.
final class ChannelFeed: Sendable {
    private let monitor: LiveMonitor
    private let documentation: CheckDocumentation?
    private let state = Mutex(State())

    /// The maximum number of concurrent readers.
    static let maximumReaderCount = 32
    /// The minimum interval between two looks at the monitor, whatever the number of readers.
    private static let interval = Duration.seconds(1)
    /// The maximum number of alerts in an update, the most severe and newest first.
    private static let maximumAlertCount = 200

    private struct State {
        var readerCount = 0
        /// When the monitor was last looked at.
        var time: Duration?
        /// The number of the newest change.
        var revision = 0
        /// The revision at which the list of channels last changed; a reader with an older revision needs all channels.
        var base = 0
        /// The channels in order, each with the revision of its last change.
        var channels: [(snapshot: ChannelSnapshot, revision: Int)] = []
        var alerts: [Alert] = []
        var alertRevision = 0
        var totals: StoreTotals?
        var handling = AlertHandling()
        /// The object that says why nothing is delivered; `null` if it is.
        var delivery: [UInt8] = Array("null".utf8)
    }

    init(_ monitor: LiveMonitor, documentation: CheckDocumentation? = nil) {
        self.monitor = monitor
        self.documentation = documentation
    }

    /// Returns a stream for a new reader, or nil if the maximum number of readers is reached.
    func openStream() -> EventStream? {
        let hasRoom = state.withLock { state in
            guard state.readerCount < Self.maximumReaderCount else { return false }
            state.readerCount += 1
            return true
        }
        return hasRoom ? EventStream(self, clock: monitor.clock) : nil
    }

    /// Releases the place of a reader.
    func closeStream() { state.withLock { $0.readerCount -= 1 } }

    /// Returns the changes after a revision, or everything if the revision is nil; returns nil if nothing changed.
    ///
    /// - Returns: The revision to pass to the next call, whether the JSON object has all channels, so that the reader
    ///   must drop every other one, and the object, without `alerts` if they have not changed.
    func update(after revision: Int?) -> (revision: Int, isComplete: Bool, json: [UInt8])? {
        let state = state.withLock { state in
            refresh(&state)
            return state
        }
        guard let totals = state.totals else { return nil }
        let isComplete = revision.map { $0 < state.base } ?? true
        let seen = isComplete ? -1 : revision ?? -1
        guard seen < state.revision else { return nil }
        let channels = state.channels.filter { $0.revision > seen }.map(\.snapshot)
        var writer = JSONWriter(capacity: 1_024 + 384 * channels.count)
        writer.beginObject()
        writer.key("at")
        writer.value(time: monitor.clock.unixMilliseconds)
        channels.writeMember(to: &writer)
        if state.alertRevision > seen {
            write(state.alerts.prefix(Self.maximumAlertCount), state.handling, to: &writer)
        }
        writer.write("alert_count", state.alerts.count)
        writer.write("waiting", totals.inStore)
        writer.write("delivered", totals.delivered)
        writer.write("lost", totals.losses.total)
        writer.key("delivery_failure")
        writer.value(json: state.delivery.span)
        writer.endObject()
        return (state.revision, isComplete, writer.bytes)
    }

    private func write(
        _ alerts: some Sequence<Alert>, _ handling: AlertHandling, to writer: inout JSONWriter
    ) {
        writer.key("alerts")
        writer.beginArray()
        for alert in alerts {
            writer.beginObject()
            writer.write("id", alert.id)
            alert.writeScope(to: &writer)
            alert.writeProblem(to: &writer)
            if let documentation { writer.write("docs", documentation.address(of: alert.check)) }
            handling.writeMembers(of: alert, to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    /// Returns the JSON of the reason why nothing is delivered.
    private static func json(_ progress: DeliveryProgress?) -> [UInt8] {
        var writer = JSONWriter()
        guard let (word, reason, until) = progress?.failure else {
            writer.null()
            return writer.bytes
        }
        writer.beginObject()
        writer.write("state", word)
        writer.write("reason", reason)
        writer.key("until")
        if let until { writer.value(time: until) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }

    /// Copies the state of the monitor, unless the last copy is less than `interval` old.
    private func refresh(_ state: inout State) {
        let now = monitor.clock.sinceBoot
        if let last = state.time, now - last < Self.interval { return }
        state.time = now
        let next = state.revision + 1
        let snapshots = monitor.snapshots
        if snapshots.map(\.id) != state.channels.map(\.snapshot.id) {
            state.channels = snapshots.map { ($0, next) }
            state.base = next
            state.revision = next
        } else {
            for index in snapshots.indices where snapshots[index] != state.channels[index].snapshot {
                state.channels[index] = (snapshots[index], next)
                state.revision = next
            }
        }
        let (alerts, handling) = (monitor.publishedAlerts, monitor.handling)
        if alerts != state.alerts || handling != state.handling {
            state.alerts = alerts
            state.handling = handling
            state.alertRevision = next
            state.revision = next
        }
        let totals = monitor.bufferTotals
        let delivery = Self.json(monitor.delivery)
        if totals != state.totals || delivery != state.delivery { state.revision = next }
        state.totals = totals
        state.delivery = delivery
    }
}
