/// The requests of a client that run and that wait, and which of them is next.
///
/// A value that knows nothing of the network. Requests without an owner wait for the bounds of the client; the owners
/// take turns.
struct TransferQueue {
    /// How many requests run at a time.
    ///
    /// The first one of each owner counts, and is held back by none of them.
    struct Limits: Sendable, Hashable {
        /// Of the client.
        var all: Int
        /// To one host.
        var perHost: Int
    }

    private let limits: Limits

    /// Whose a request is: that of an owner, or of nobody.
    private typealias OwnerKey = ObjectIdentifier?

    private struct Request {
        let identifier: UInt64
        let owner: TransferOwner?
        let host: String
        var key: OwnerKey { owner.map(ObjectIdentifier.init) }
    }

    private var running: [UInt64: Request] = [:]
    private var runningCountOfHost: [String: Int] = [:]
    private var runningCountOfOwner: [OwnerKey: Int] = [:]
    /// What waits, by whose it is; never an empty array.
    private var waiting: [OwnerKey: [Request]] = [:]
    /// The owners of what waits; the one whose turn is next is the first.
    private var turns: [OwnerKey] = []

    init(_ limits: Limits) { self.limits = limits }

    /// Lets a request wait.
    mutating func add(_ identifier: UInt64, of owner: TransferOwner?, to host: String) {
        let request = Request(identifier: identifier, owner: owner, host: host)
        if waiting[request.key] == nil { turns.append(request.key) }
        waiting[request.key, default: []].append(request)
        guard let owner else { return }
        let count = runningCountOfOwner[request.key, default: 0] + waiting[request.key, default: []].count
        if count > 2 * owner.share { owner.noteExceededShare() }
    }

    /// The next request that may run, which counts as running from now on; nil where each that waits has to.
    mutating func takeNext() -> UInt64? {
        for (turn, key) in turns.enumerated() {
            guard var requests = waiting[key], let index = requests.firstIndex(where: mayRun) else {
                continue
            }
            let request = requests.remove(at: index)
            turns.remove(at: turn)
            waiting[key] = requests.isEmpty ? nil : requests
            if !requests.isEmpty { turns.append(key) }
            running[request.identifier] = request
            runningCountOfHost[request.host, default: 0] += 1
            runningCountOfOwner[key, default: 0] += 1
            return request.identifier
        }
        return nil
    }

    private func mayRun(_ request: Request) -> Bool {
        if let owner = request.owner {
            let count = runningCountOfOwner[request.key, default: 0]
            if count == 0 { return true }
            if count >= owner.share { return false }
        }
        return running.count < limits.all && runningCountOfHost[request.host, default: 0] < limits.perHost
    }

    /// Forgets a request that has ended, or was given up while it waited.
    mutating func remove(_ identifier: UInt64) {
        if let request = running.removeValue(forKey: identifier) {
            Self.decrement(&runningCountOfHost, request.host)
            Self.decrement(&runningCountOfOwner, request.key)
            return
        }
        for (key, requests) in waiting where requests.contains(where: { $0.identifier == identifier }) {
            let rest = requests.filter { $0.identifier != identifier }
            waiting[key] = rest.isEmpty ? nil : rest
            if rest.isEmpty { turns.removeAll { $0 == key } }
            return
        }
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
