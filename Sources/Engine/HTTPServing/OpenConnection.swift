import CDTVRMicroHTTPD
import Glibc
import Synchronization

/// An open connection of a server.
///
/// Each has its own lock, so that the threads of thousands of connections do not wait for each other.
final class OpenConnection: Sendable {
    /// The phase of a connection and its start time.
    enum Phase {
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

    private struct State {
        /// The socket; nil once the library closes it, because another connection may then get its number.
        var socket: Int32?
        var phase: Phase
        /// The last progress of the client in reading, and its time.
        var progress: (Progress, since: Duration)
        /// Whether the client has read all answers, so that there is no progress until the next request.
        var isRead = false
        var isEnding = false

        /// Whether a request was answered, and the next one has not arrived.
        var isIdle: Bool { if case .idle = phase { true } else { false } }
    }

    /// The delivery state of the data sent to a client.
    private struct Progress {
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

    private let state: Mutex<State>

    /// Creates a connection that was accepted at a time.
    init(socket: Int32, at now: Duration) {
        state = Mutex(State(socket: socket, phase: .header(since: now), progress: (Progress(), now)))
    }

    /// Records the start of a phase.
    func enter(_ phase: Phase) {
        state.withLock { state in
            state.phase = phase
            // Until now, there was nothing to read.
            if state.isRead { state.progress.since = phase.since }
            state.isRead = false
        }
    }

    /// Records that the library closes the socket.
    func close() { state.withLock { $0.socket = nil } }

    /// Makes the library close the connection; its socket stays open until `close`.
    func end() { state.withLock { Self.end(&$0) } }

    private static func end(_ state: inout State) {
        guard let socket = state.socket, !state.isEnding else { return }
        state.isEnding = true
        // Discard unread data instead of leaving it in the kernel's send buffer.
        var reset = linger(l_onoff: 1, l_linger: 0)
        if state.progress.0.unreadByteCount > 0 {
            unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Ends the connection if it is over its limits.
    func endIfOverdue(at now: Duration, _ settings: HTTPServerSettings) {
        state.withLock { state in
            guard let socket = state.socket, !state.isEnding else { return }
            if !state.isRead {
                let progress = Progress(of: socket)
                let since = progress.isAhead(of: state.progress.0) ? now : state.progress.since
                state.progress = (progress, since)
                state.isRead = state.isIdle && progress.unreadByteCount == 0
            }
            let limit =
                switch state.phase {
                case .header: settings.headerSeconds
                case .idle: settings.keepAliveSeconds
                case .body: settings.bodySeconds
                case .answer: Int.max
                }
            let isOverdue = now - state.phase.since > .seconds(limit)
            let isUnread =
                state.progress.0.unreadByteCount > 0
                && now - state.progress.since > .seconds(settings.idleSeconds)
            if isOverdue || isUnread { Self.end(&state) }
        }
    }

    /// The order in which connections are ended if there are too many; nil if this one is ending or closed.
    ///
    /// Connections that wait for a request come first, then those with an incomplete body, then those with an unread
    /// answer, and finally those whose answer is being prepared or was read. Within each group the oldest comes first.
    var endingOrder: (group: Int, since: Duration, isAnswering: Bool)? {
        state.withLock { state in
            if state.socket == nil || state.isEnding { return nil }
            let since = state.phase.since
            return switch state.phase {
            case .header, .idle: (0, since, false)
            case .body: (1, since, false)
            case .answer: (state.progress.0.unreadByteCount > 0 ? 2 : 3, since, true)
            }
        }
    }
}
