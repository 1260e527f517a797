import HostSystem
import Synchronization

/// What is known of the device and its user in a folder, for all sessions of this process that use it: what the user
/// chooses in one of them holds in each.
///
/// One writer at a time brings `player.json` up to date. It writes changes only, so that a file that is as it should be is not
/// touched, and changes of another process stay.
final class FolderIdentity: Sendable {
    /// Receives what is known from now on.
    typealias Listener = @Sendable (SessionIdentity) -> Void
    /// Receives the reason why a change could not be written.
    typealias Reporter = @Sendable (SystemError) -> Void

    fileprivate struct State: Sendable {
        /// Nil until it was read.
        var identity: SessionIdentity?
        /// What the file does not have yet; nil where there is nothing to write.
        var pending: SessionIdentity.Change?
        var isWriting = false
        /// Those who wait until nothing is pending.
        var waiting: [CheckedContinuation<Bool, Never>] = []
        /// Those whose changes are pending, and are told of a failure.
        var reporters: [Reporter] = []
        var listeners: [UInt64: Listener] = [:]
        var nextListener: UInt64 = 0
    }

    /// Kept alive by the sessions of the folder.
    private struct Known: Sendable {
        weak var identity: FolderIdentity?
    }

    private static let known = Mutex<[String: Known]>([:])

    private let directory: String
    private let state = Mutex(State())

    private init(directory: String) { self.directory = directory }

    /// That of a folder, whose path is canonical.
    static func of(_ directory: String) -> FolderIdentity {
        known.withLock { known in
            if let identity = known[directory]?.identity { return identity }
            known = known.filter { $0.value.identity != nil }
            let identity = FolderIdentity(directory: directory)
            known[directory] = Known(identity: identity)
            return identity
        }
    }

    /// Adds a listener, and gives it a number.
    func listen(_ listener: @escaping Listener) -> UInt64 {
        state.withLock { state in
            defer { state.nextListener += 1 }
            state.listeners[state.nextListener] = listener
            return state.nextListener
        }
    }

    /// Removes a listener.
    func leave(_ number: UInt64) { state.withLock { $0.listeners[number] = nil } }

    /// Returns what is known, which the first caller reads from the folder; blocks for that.
    ///
    /// What is new, or renewed because of its age, is pending then.
    func load(now: ClockReading) -> SessionIdentity {
        if let current { return current }
        let stored = SessionIdentity.stored(in: directory)
        var read = stored ?? SessionIdentity(now: now)
        let before = read
        _ = read.renew(wantsFirstPartyID: read.firstPartyID != nil, now: now)
        let change = read.change(since: before)
        return state.withLock { [read] state in
            // Another session may have read it meanwhile, and changed it.
            if let identity = state.identity { return identity }
            state.identity = read
            if stored == nil || change != SessionIdentity.Change() { state.add(change) }
            return read
        }
    }

    /// What is known now; nil before it was read.
    var current: SessionIdentity? { state.withLock { $0.identity } }

    /// Changes what is known, once it is, and tells all listeners but the one that asks for it; false where it was not
    /// read.
    func change(by number: UInt64, _ body: (inout SessionIdentity) -> Void) -> Bool {
        let (identity, others) = state.withLock { state -> (SessionIdentity?, [Listener]) in
            guard let before = state.identity else { return (nil, []) }
            var identity = before
            body(&identity)
            guard identity != before else { return (identity, []) }
            state.identity = identity
            state.add(identity.change(since: before))
            return (identity, state.listeners.filter { $0.key != number }.map(\.value))
        }
        if let identity { for listener in others { listener(identity) } }
        return identity != nil
    }

    // MARK: Writing

    /// Has what is pending written, without waiting for it.
    ///
    /// - Parameter report: told of a failure; the change stays pending, and is tried again with the next one, or by `flush`.
    func save(reporting report: @escaping Reporter) {
        let starts = state.withLock { state in
            guard state.pending != nil || state.isWriting else { return false }
            state.reporters.append(report)
            return state.beginWriting()
        }
        if starts { startWriting() }
    }

    /// Waits until nothing is pending; false where the file cannot be written.
    func flush() async -> Bool {
        await withCheckedContinuation { continuation in
            let (isDone, starts) = state.withLock { state -> (Bool, Bool) in
                guard state.pending != nil || state.isWriting else { return (true, false) }
                state.waiting.append(continuation)
                return (false, state.beginWriting())
            }
            if isDone { continuation.resume(returning: true) }
            if starts { startWriting() }
        }
    }

    private func startWriting() {
        do throws(SystemError) {
            // Writing waits for the disk, and for other processes.
            try HostThread.start(name: "dtvr-identity", stackByteCount: 256 << 10) { [self] in write() }
        } catch {
            fail(error, SessionIdentity.Change())
        }
    }

    private func write() {
        while true {
            switch state.withLock({ $0.nextStep() }) {
            case .write(let change, let identity):
                do throws(SystemError) {
                    finish(try SessionIdentity.save(change, to: directory, orNew: identity))
                } catch {
                    return fail(error, change)
                }
            case .end(let waiting):
                for continuation in waiting { continuation.resume(returning: true) }
                return
            }
        }
    }

    /// Takes over what another process has changed.
    private func finish(_ written: SessionIdentity) {
        let listeners = state.withLock { state -> [Listener] in
            state.reporters = []
            var identity = written
            if let pending = state.pending { identity.apply(pending) }
            guard identity != state.identity else { return [] }
            state.identity = identity
            return Array(state.listeners.values)
        }
        for listener in listeners { if let current { listener(current) } }
    }

    private func fail(_ error: SystemError, _ change: SessionIdentity.Change) {
        let (waiting, reporters) = state.withLock { state in
            var merged = change
            if let later = state.pending { merged.merge(later) }
            state.pending = merged
            state.isWriting = false
            defer {
                state.waiting = []
                state.reporters = []
            }
            return (state.waiting, state.reporters)
        }
        for report in reporters { report(error) }
        for waiting in waiting { waiting.resume(returning: false) }
    }
}

extension FolderIdentity.State {
    fileprivate mutating func add(_ change: SessionIdentity.Change) {
        var merged = pending ?? SessionIdentity.Change()
        merged.merge(change)
        pending = merged
    }

    /// Whether the caller has to start the writer.
    fileprivate mutating func beginWriting() -> Bool {
        guard !isWriting else { return false }
        isWriting = true
        return true
    }

    /// What the writer does next.
    fileprivate enum Step {
        case write(SessionIdentity.Change, SessionIdentity)
        /// It ends, and answers those who wait.
        case end([CheckedContinuation<Bool, Never>])
    }

    fileprivate mutating func nextStep() -> Step {
        if let change = pending, let identity {
            pending = nil
            return .write(change, identity)
        }
        isWriting = false
        defer { waiting = [] }
        return .end(waiting)
    }
}
