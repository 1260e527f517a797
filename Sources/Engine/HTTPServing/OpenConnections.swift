import HostSystem
import Synchronization

/// The open connections of a server, with limits so that stalled clients do not block others.
///
/// libmicrohttpd closes connections without traffic. However, it does not limit a header or body that arrives byte by
/// byte, and stops accepting while all connections are taken.
final class OpenConnections: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: OpenConnection] = [:]
        var isStopped = false
    }

    private let settings: HTTPServerSettings
    private let clock: any HostClock
    private let state = Mutex(State())
    private let wake = Semaphore()

    /// The interval between checks.
    private static let interval = Duration.milliseconds(500)

    init(_ settings: HTTPServerSettings, clock: any HostClock = .system) {
        self.settings = settings
        self.clock = clock
    }

    /// Starts a thread that ends connections over their limits, until `stop`.
    func start() throws(SystemError) {
        try HostThread.start(name: "dtvr-http", stackByteCount: 256 << 10) { [self] in
            while !state.withLock(\.isStopped) {
                endOverdue()
                _ = wake.wait(atMost: Self.interval)
            }
        }
    }

    /// Ends the thread without closing connections.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    // MARK: Library events

    /// Adds and returns an accepted connection, and ends the least active one if there are too many.
    func open(socket: Int32) -> OpenConnection {
        let connection = OpenConnection(socket: socket, at: clock.sinceBoot)
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = connection
            if state.connections.count > settings.maximumConnectionCount {
                makeRoom(for: connection, among: state.connections.values)
            }
        }
        return connection
    }

    /// Ends a connection if too many are not ending yet: the first in order except the new one, or the new one to keep
    /// answers.
    private func makeRoom(for connection: OpenConnection, among all: some Collection<OpenConnection>) {
        let others = all.compactMap { other in
            other === connection ? nil : other.endingOrder.map { (connection: other, order: $0) }
        }
        let first = others.min {
            ($0.order.group, $0.order.since) < ($1.order.group, $1.order.since)
        }
        guard others.count >= settings.maximumConnectionCount, let first else { return }
        (settings.keepsAnswers && first.order.isAnswering ? connection : first.connection).end()
    }

    /// Removes a connection that is about to be closed, whose socket is no longer valid.
    func close(_ connection: OpenConnection) {
        connection.close()
        state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
    }

    /// Records the arrival of a request's header.
    func beginRequest(_ connection: OpenConnection) { connection.enter(.body(since: clock.sinceBoot)) }

    /// Records the arrival of a complete request.
    func beginAnswer(_ connection: OpenConnection) { connection.enter(.answer(since: clock.sinceBoot)) }

    /// Records the end of a request.
    func endRequest(_ connection: OpenConnection) { connection.enter(.idle(since: clock.sinceBoot)) }

    // MARK: Limits

    private func endOverdue() {
        let now = clock.sinceBoot
        for connection in state.withLock({ Array($0.connections.values) }) {
            connection.endIfOverdue(at: now, settings)
        }
    }
}
