import CDTVRMicroHTTPD
import Glibc
import HostSystem
import Synchronization

/// The open connections of a server, with limits so that stalled clients do not block others.
///
/// libmicrohttpd closes connections without traffic. However, it does not limit a header or body that arrives byte by
/// byte, and stops accepting while all connections are taken.
final class OpenConnections: Sendable {
    /// The phase of a connection and its start time.
    fileprivate enum Phase {
        /// The first header has not arrived.
        case header(since: Duration)
        /// The header of a request has arrived, but not the whole body.
        case body(since: Duration)
        /// The answer is being prepared or sent.
        case answer(since: Duration)
        /// A request was answered, and the next one has not arrived.
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
        /// The last progress of the client in reading, and its time.
        var progress: (Progress, since: Duration)
        var isEnding = false

        /// Whether an answer is being prepared or sent.
        var isAnswering: Bool { if case .answer = phase { true } else { false } }
    }

    /// The delivery state of the data sent to a client.
    fileprivate struct Progress {
        /// The number of bytes that were sent but not acknowledged.
        var unreadByteCount: Int32 = 0
        /// The number of acknowledged bytes.
        var acknowledgedByteCount: UInt64 = 0

        init() {}

        init(of socket: Int32) {
            // TIOCOUTQ (SIOCOUTQ for sockets) writes the count; use 0 if the socket has no such queue.
            if unsafe ioctl(socket, UInt(TIOCOUTQ), &unreadByteCount) != 0 { unreadByteCount = 0 }
            acknowledgedByteCount = dtvr_acknowledged(socket)
        }

        /// Whether the client has read data since an earlier state, or has none to read.
        ///
        /// The system accepts data for a client that does not read, so more unread bytes are not progress.
        func isAhead(of earlier: Progress) -> Bool {
            unreadByteCount == 0 || unreadByteCount < earlier.unreadByteCount
                || acknowledgedByteCount != earlier.acknowledgedByteCount
        }
    }

    fileprivate struct State {
        /// The connections by the bits of the library's pointers, which are never dereferenced.
        var connections: [UInt: Connection] = [:]
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

    /// Adds an accepted connection, and ends the least active one if there are too many.
    func open(_ id: UInt, socket: Int32) {
        let now = clock.sinceBoot
        state.withLock { state in
            state.connections[id] = Connection(
                socket: socket, phase: .header(since: now), progress: (Progress(), now))
            let open = state.connections.filter { !$0.value.isEnding }
            guard open.count > settings.maximumConnectionCount else { return }
            let others = open.filter { $0.key != id }
            guard let victim = others.min(by: { Self.precedes($0.value, $1.value) })?.key else { return }
            let isKept = settings.keepsAnswers && others[victim]?.isAnswering == true
            state.end(isKept ? id : victim)
        }
    }

    /// Removes a connection that is about to be closed, whose socket is no longer valid.
    func close(_ id: UInt) { state.withLock { $0.connections[id] = nil } }

    /// Records the arrival of a request's header.
    func beginRequest(_ id: UInt) { enter(id) { .body(since: $0) } }

    /// Records the arrival of a complete request.
    func beginAnswer(_ id: UInt) { enter(id) { .answer(since: $0) } }

    /// Records the end of a request.
    func endRequest(_ id: UInt) { enter(id) { .idle(since: $0) } }

    private func enter(_ id: UInt, _ phase: (Duration) -> Phase) {
        let now = clock.sinceBoot
        state.withLock { $0.connections[id]?.phase = phase(now) }
    }

    // MARK: Limits

    /// Returns whether `left` should be ended before `right` if one of them must be.
    ///
    /// Connections that wait for a request come first, then those with an incomplete body, then those with an unread
    /// answer, and finally those whose answer is being prepared or was read. Within each group the oldest
    /// comes first.
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
                let since = progress.isAhead(of: connection.progress.0) ? now : connection.progress.since
                connection.progress = (progress, since)
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
    /// Makes the library close a connection; its socket stays open until `close`.
    fileprivate mutating func end(_ id: UInt) {
        guard let socket = connections[id]?.socket else { return }
        connections[id]?.isEnding = true
        // Discard unread data instead of leaving it in the kernel's send buffer.
        var reset = linger(l_onoff: 1, l_linger: 0)
        if connections[id]?.progress.0.unreadByteCount ?? 0 > 0 {
            unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(socket, Int32(SHUT_RDWR))
    }
}
