import HostSystem
import Synchronization

/// The identity of a device and its user in a folder.
///
/// A choice that the user makes in one session of the folder applies to all of them. One writer at a time updates
/// `player.json`. It writes only changes, so an up-to-date file is not touched, and changes of other processes stay.
///
/// Requests are applied in the order of `apply`, which a session calls with its lock held. Listeners read `current`
/// with their lock held. The order of the decisions, of the states of all sessions, and of the file is therefore the
/// same.
final class FolderIdentity: Sendable {
    /// Called after a change, to adopt `current`.
    typealias Listener = @Sendable () -> Void
    /// Receives the reason why a change could not be written.
    typealias Reporter = @Sendable (SystemError) -> Void

    fileprivate struct State: Sendable {
        /// The identity; nil until it is read.
        var identity: SessionIdentity?
        /// The requests made before the identity was read.
        var early = IdentityRequest()
        /// The changes that are not in the file yet; nil if there are none.
        var pending: SessionIdentity.Change?
        var isWriting = false
        /// The callers that wait until nothing is pending.
        var waiting: [CheckedContinuation<Bool, Never>] = []
        /// Those of them that waited when the current write began, so that its failure answers them.
        var attempted: [CheckedContinuation<Bool, Never>] = []
        /// The reporters of the pending changes, one for each session, which are called if writing fails.
        var reporters: [UInt64: Reporter] = [:]
        var listeners: [UInt64: Listener] = [:]
        /// The version of the file that the identity was last compared with.
        var version: FileVersion?
        /// The number of changes, which tells whether a file was read before the last one.
        var changeCount = 0
        /// Whether the user has opted out in another process, and not chosen in this one since.
        var isOptedOutElsewhere = false
        var isRefreshing = false
    }

    /// A version of the identity file: each is a new file.
    fileprivate struct FileVersion: Sendable, Equatable {
        let identity: FileIdentity
        let time: Duration
    }

    private let directory: String
    private let state = Mutex(State())

    init(directory: String) { self.directory = directory }

    /// Calls a listener after each change that another session makes.
    ///
    /// The first listener makes `load` read the file again, which another process may have changed in the meantime.
    func listen(as number: UInt64, _ listener: @escaping Listener) {
        state.withLock { state in
            if state.listeners.isEmpty, state.pending == nil, !state.isWriting { state.identity = nil }
            state.listeners[number] = listener
        }
    }

    /// Removes the listener with a number.
    func stopListening(as number: UInt64) { state.withLock { $0.listeners[number] = nil } }

    /// Returns the identity; the first caller reads it from the folder, and blocks for that.
    ///
    /// An identity that is new, renewed because of its age, or changed by an earlier request is then pending.
    func load(now: ClockReading) -> SessionIdentity {
        if let current { return current }
        let stored = SessionIdentity.stored(in: directory)
        let before = stored ?? SessionIdentity(now: now)
        return state.withLock { state in
            // Another session may have read and changed it in the meantime.
            if let identity = state.identity { return identity }
            var read = before
            _ = read.renew(wantsFirstPartyID: read.firstPartyID != nil, now: now)
            read.apply(state.early, now: now)
            state.early = IdentityRequest()
            state.identity = read
            let change = read.change(since: before)
            if stored == nil || change != SessionIdentity.Change() { state.add(change) }
            return read
        }
    }

    // MARK: Other processes

    /// Whether the user has opted out in another process, so that unmarked records that still wait are discarded.
    var isOptedOutElsewhere: Bool { state.withLock { $0.isOptedOutElsewhere } }

    /// Adopts the choice that another process has written to the file since the last call; blocks if it has.
    func refresh() {
        let path = SessionIdentity.path(in: directory)
        guard let file = FileSystem.identity(of: path), let time = FileSystem.modificationTime(of: path)
        else {
            return
        }
        let version = FileVersion(identity: file, time: time)
        let changeCount = state.withLock { state -> Int? in
            // A pending change is merged with the file when it is written.
            guard state.version != version, state.identity != nil, state.pending == nil, !state.isWriting
            else { return nil }
            return state.changeCount
        }
        guard let changeCount, let stored = SessionIdentity.stored(in: directory) else { return }
        let listeners = state.withLock { state -> [Listener] in
            guard state.changeCount == changeCount else { return [] }
            state.version = version
            return state.adopt(stored)
        }
        for listener in listeners { listener() }
    }

    /// Calls `refresh` on another thread, unless such a call is in progress.
    func refreshSoon() {
        let begins = state.withLock { state in
            defer { state.isRefreshing = true }
            return !state.isRefreshing
        }
        if !begins { return }
        Task.detached { [self] in
            refresh()
            state.withLock { $0.isRefreshing = false }
        }
    }

    /// The current identity; nil until it is read.
    var current: SessionIdentity? { state.withLock { $0.identity } }

    /// Applies a request; one that precedes `load` is applied by it.
    ///
    /// Safe to call with a lock held: it neither waits nor calls a listener.
    ///
    /// - Returns: whether the identity has changed; the caller must then call `notify` and `save` after unlocking.
    func apply(_ request: IdentityRequest, now: ClockReading) -> Bool {
        state.withLock { state in
            guard let before = state.identity else {
                state.early.merge(request)
                return false
            }
            var identity = before
            identity.apply(request, now: now)
            guard identity != before else { return false }
            state.identity = identity
            state.isOptedOutElsewhere = false
            state.add(identity.change(since: before))
            return true
        }
    }

    /// Calls all listeners except that of the session with a number.
    func notify(except number: UInt64) {
        for (key, listener) in state.withLock({ $0.listeners }) where key != number { listener() }
    }

    // MARK: Writing

    /// Starts writing the pending changes, without waiting.
    ///
    /// - Parameters:
    ///   - number: the number of the session.
    ///   - report: called if writing fails; the change stays pending, and is retried with the next change or by
    ///     `flush`.
    func save(as number: UInt64, reporting report: @escaping Reporter) {
        let starts = state.withLock { state in
            guard state.pending != nil || state.isWriting || !state.waiting.isEmpty else { return false }
            state.reporters[number] = report
            return state.beginWriting()
        }
        if starts { startWriting() }
    }

    /// Waits until nothing is pending; returns false if the file cannot be written.
    func flush() async -> Bool {
        await withCheckedContinuation { continuation in
            let (isDone, starts) = state.withLock { state -> (Bool, Bool) in
                let isEarly = state.early != IdentityRequest()
                guard state.pending != nil || state.isWriting || isEarly else { return (true, false) }
                state.waiting.append(continuation)
                // The caller of `load` saves the early requests.
                if isEarly { return (false, false) }
                return (false, state.beginWriting())
            }
            if isDone { continuation.resume(returning: true) }
            if starts { startWriting() }
        }
    }

    /// Whether callers wait for the next write.
    var hasCallers: Bool { state.withLock { !$0.waiting.isEmpty } }

    private func startWriting() {
        do throws(SystemError) {
            // A separate thread, because writing waits for the disk and for other processes.
            try HostThread.start(name: "dtvr-identity", stackByteCount: 256 << 10) { [self] in write() }
        } catch {
            state.withLock { $0.beginAttempt() }
            _ = fail(error, SessionIdentity.Change())
        }
    }

    private func write() {
        while true {
            switch state.withLock({ $0.nextStep() }) {
            case .write(let change, let identity):
                do throws(SystemError) {
                    finish(try SessionIdentity.save(change, to: directory, orNew: identity))
                } catch {
                    if !fail(error, change) { return }
                }
            case .end(let waiting):
                for continuation in waiting { continuation.resume(returning: true) }
                return
            }
        }
    }

    /// Completes a write, and adopts the changes that another process has made to the file.
    private func finish(_ written: SessionIdentity) {
        let listeners = state.withLock { state -> [Listener] in
            state.reporters = [:]
            var identity = written
            if let pending = state.pending { identity.apply(pending) }
            return state.adopt(identity)
        }
        for listener in listeners { listener() }
    }

    /// Ends a write that failed; returns whether to write again, for callers that came during the write.
    private func fail(_ error: SystemError, _ change: SessionIdentity.Change) -> Bool {
        let (attempted, reporters, continues) = state.withLock { state in
            var merged = change
            if let later = state.pending { merged.merge(later) }
            state.pending = merged
            state.isWriting = !state.waiting.isEmpty
            defer {
                state.attempted = []
                state.reporters = [:]
            }
            return (state.attempted, state.reporters.values, state.isWriting)
        }
        for report in reporters { report(error) }
        for caller in attempted { caller.resume(returning: false) }
        return continues
    }
}

extension FolderIdentity.State {
    /// Adopts an identity that is in the file; returns the listeners to call if it is another one.
    fileprivate mutating func adopt(_ stored: SessionIdentity) -> [FolderIdentity.Listener] {
        guard stored != identity else { return [] }
        if stored.optedOutStore != identity?.optedOutStore {
            isOptedOutElsewhere = stored.optedOutStore != nil
        }
        identity = stored
        changeCount += 1
        return Array(listeners.values)
    }

    fileprivate mutating func add(_ change: SessionIdentity.Change) {
        changeCount += 1
        var merged = pending ?? SessionIdentity.Change()
        merged.merge(change)
        pending = merged
    }

    /// Marks the writer as running; returns whether the caller must start it.
    fileprivate mutating func beginWriting() -> Bool {
        guard !isWriting else { return false }
        isWriting = true
        return true
    }

    /// The next step of the writer.
    fileprivate enum Step {
        case write(SessionIdentity.Change, SessionIdentity)
        /// The writer stops, and answers the waiting callers.
        case end([CheckedContinuation<Bool, Never>])
    }

    fileprivate mutating func nextStep() -> Step {
        if let change = pending, let identity {
            pending = nil
            beginAttempt()
            return .write(change, identity)
        }
        isWriting = false
        beginAttempt()
        defer { attempted = [] }
        return .end(attempted)
    }

    /// Counts the waiting callers as those of the attempt that begins now.
    fileprivate mutating func beginAttempt() {
        attempted += waiting
        waiting = []
    }
}
