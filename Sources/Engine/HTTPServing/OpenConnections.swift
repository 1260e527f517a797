import CDTVRMicroHTTPD
import Glibc
import HostSystem
import Synchronization

/// The open connections of a server: which of them must end, so that clients that stand still keep nobody else waiting.
///
/// libmicrohttpd ends connections on which no byte moves; it has no limit for a header or a body that comes byte by byte, and
/// accepts nobody while all connections are taken.
final class OpenConnections: Sendable {
    /// What a connection is used for, and since when.
    fileprivate enum Phase {
        /// The first header has not arrived.
        case header(since: Duration)
        /// The header of a request has arrived, and its body has not.
        case body(since: Duration)
        /// The answer is made, or sent.
        case answer(since: Duration)
        /// A request was answered; the next one has not arrived.
        case idle(since: Duration)

        var since: Duration {
            switch self {
            case .header(let since), .body(let since), .answer(let since), .idle(let since): since
            }
        }
    }

    fileprivate struct Connection {
        let socket: Int32
        var phase: Phase
        /// How far the client has read, and since when no further.
        var progress: (Progress, since: Duration)
        var isEnding = false
    }

    /// What is on its way to a client.
    fileprivate struct Progress: Equatable {
        /// The bytes that were sent and are not acknowledged.
        var unreadByteCount: Int32 = 0
        /// The bytes that are acknowledged.
        var acknowledgedByteCount: UInt64 = 0

        init() {}

        init(of socket: Int32) {
            // TIOCOUTQ, for sockets SIOCOUTQ: writes the count. Zero where the socket has no such queue.
            if unsafe ioctl(socket, UInt(TIOCOUTQ), &unreadByteCount) != 0 { unreadByteCount = 0 }
            acknowledgedByteCount = dtvr_acknowledged(socket)
        }
    }

    fileprivate struct State {
        /// By the bits of the library's pointers, which are not used.
        var connections: [UInt: Connection] = [:]
        var isStopped = false
    }

    private let settings: HTTPServerSettings
    private let clock: any HostClock
    private let state = Mutex(State())
    private let wake = Semaphore()

    /// How often the connections are looked at.
    private static let interval = Duration.milliseconds(500)

    init(_ settings: HTTPServerSettings, clock: any HostClock = .system) {
        self.settings = settings
        self.clock = clock
    }

    /// Ends connections that exceed their limits, on a thread of its own, until `stop`.
    func start() throws(SystemError) {
        try HostThread.start(name: "dtvr-http", stackByteCount: 256 << 10) { [self] in
            while !state.withLock(\.isStopped) {
                endOverdue()
                _ = wake.wait(atMost: Self.interval)
            }
        }
    }

    /// Ends the thread; connections stay as they are.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    // MARK: What the library tells

    /// Takes a connection that was accepted; where there are too many, the one that has stood still for longest ends.
    func open(_ id: UInt, socket: Int32) {
        let now = clock.sinceBoot
        state.withLock { state in
            state.connections[id] = Connection(
                socket: socket, phase: .header(since: now), progress: (Progress(), now))
            let open = state.connections.filter { !$0.value.isEnding }
            guard open.count > settings.maximumConnectionCount else { return }
            let others = open.filter { $0.key != id }
            guard let victim = others.min(by: { Self.precedes($0.value, $1.value) })?.key else { return }
            state.end(victim)
        }
    }

    /// Takes that a connection is about to be closed: its socket may not be used any more.
    func close(_ id: UInt) { state.withLock { $0.connections[id] = nil } }

    /// Takes that the header of a request has arrived.
    func beginRequest(_ id: UInt) { enter(id) { .body(since: $0) } }

    /// Takes that a request has arrived whole.
    func beginAnswer(_ id: UInt) { enter(id) { .answer(since: $0) } }

    /// Takes that a request is over.
    func endRequest(_ id: UInt) { enter(id) { .idle(since: $0) } }

    private func enter(_ id: UInt, _ phase: (Duration) -> Phase) {
        let now = clock.sinceBoot
        state.withLock { $0.connections[id]?.phase = phase(now) }
    }

    // MARK: Limits

    /// Whether a connection ends before another one where one of them has to: those that wait for a request first, then those
    /// whose body or reader has stood still, each the oldest first.
    private static func precedes(_ left: Connection, _ right: Connection) -> Bool {
        func rank(_ connection: Connection) -> Int {
            switch connection.phase {
            case .header, .idle: 0
            case .body: 1
            case .answer: connection.progress.0.unreadByteCount > 0 ? 2 : 3
            }
        }
        return (rank(left), left.phase.since) < (rank(right), right.phase.since)
    }

    private func endOverdue() {
        let now = clock.sinceBoot
        state.withLock { state in
            for (id, var connection) in state.connections where !connection.isEnding {
                let progress = Progress(of: connection.socket)
                if progress != connection.progress.0 { connection.progress = (progress, now) }
                state.connections[id] = connection
                let limit =
                    switch connection.phase {
                    case .header: settings.headerSeconds
                    case .idle: settings.keepAliveSeconds
                    case .body: settings.bodySeconds
                    case .answer: Int.max
                    }
                let isOverdue = now - connection.phase.since > .seconds(limit)
                let isUnread =
                    progress.unreadByteCount > 0
                    && now - connection.progress.since > .seconds(settings.idleSeconds)
                if isOverdue || isUnread { state.end(id) }
            }
        }
    }
}

extension OpenConnections.State {
    /// Has the library close a connection: its socket stays open until `close`.
    fileprivate mutating func end(_ id: UInt) {
        guard let socket = connections[id]?.socket else { return }
        connections[id]?.isEnding = true
        // What the client does not read must not stay in the kernel.
        var reset = linger(l_onoff: 1, l_linger: 0)
        if connections[id]?.progress.0.unreadByteCount ?? 0 > 0 {
            unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(socket, Int32(SHUT_RDWR))
    }
}
