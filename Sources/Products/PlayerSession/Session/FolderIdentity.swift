import HostSystem
import Synchronization

/// What is known of the device and its user in a folder, for all sessions of this process that use it: what the user
/// chooses in one of them holds in each.
final class FolderIdentity: Sendable {
    /// Is told what is known from now on.
    typealias Listener = @Sendable (SessionIdentity) -> Void

    private struct State: Sendable {
        /// Nil until it was read.
        var identity: SessionIdentity?
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

    /// That of a folder.
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

    /// What is known, read from the folder by the first who asks; blocks for that.
    func load(now: Int64) -> SessionIdentity {
        if let current { return current }
        var read = SessionIdentity.load(from: directory, now: now)
        _ = read.renew(wantsFirstPartyID: read.firstPartyID != nil, now: now)
        return state.withLock { [read] state in
            // Somebody else may have read it meanwhile, and changed it.
            let identity = state.identity ?? read
            state.identity = identity
            return identity
        }
    }

    /// What is known now; nil before it was read.
    var current: SessionIdentity? { state.withLock { $0.identity } }

    /// Changes what is known, once it is, and tells all listeners but the one that asks for it; false where it was not
    /// read.
    func change(by number: UInt64, _ body: (inout SessionIdentity) -> Void) -> Bool {
        let (identity, others) = state.withLock { state -> (SessionIdentity?, [Listener]) in
            guard var identity = state.identity else { return (nil, []) }
            body(&identity)
            state.identity = identity
            return (identity, state.listeners.filter { $0.key != number }.map(\.value))
        }
        if let identity { for listener in others { listener(identity) } }
        return identity != nil
    }

    /// Writes what is known when its turn comes, without waiting for it.
    func save(reporting report: @escaping @Sendable (SystemError) -> Void) {
        Task.detached(priority: .high) { [self] in
            // What is newest then is written, in whatever order such tasks run.
            guard let identity = current else { return }
            do throws(SystemError) {
                try identity.save(in: directory)
            } catch {
                report(error)
            }
        }
    }
}
