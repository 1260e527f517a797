/// The running and waiting requests of a client, and the order in which they start.
///
/// This is pure bookkeeping without network access. Owners take turns. Requests without an owner are limited only by
/// the client's limits.
struct TransferQueue {
    /// The maximum numbers of concurrent requests of the client and of each host.
    ///
    /// The first request of each owner counts but is never delayed by these limits.
    private let limits: (all: Int, perHost: Int)

    /// The key of a request's owner; nil for requests without an owner.
    private typealias OwnerKey = ObjectIdentifier?

    private struct Request {
        let identifier: UInt64
        let owner: TransferOwner?
        let host: HTTPOrigin?
        var key: OwnerKey { owner.map(ObjectIdentifier.init) }
    }

    private var running: [UInt64: Request] = [:]
    private var runningCountOfHost: [HTTPOrigin?: Int] = [:]
    private var runningCountOfOwner: [OwnerKey: Int] = [:]
    /// The waiting requests by owner; no array is empty.
    private var waiting: [OwnerKey: [Request]] = [:]
    /// The owners of the waiting requests, in the order of their turns.
    private var turns: [OwnerKey] = []

    /// Creates an empty queue with the maximum numbers of concurrent requests of the client and of each host.
    init(all: Int, perHost: Int) { limits = (all, perHost) }

    /// Adds a waiting request.
    mutating func add(_ identifier: UInt64, of owner: TransferOwner?, to host: HTTPOrigin?) {
        let request = Request(identifier: identifier, owner: owner, host: host)
        if waiting[request.key] == nil { turns.append(request.key) }
        waiting[request.key, default: []].append(request)
        guard let owner else { return }
        let count = runningCountOfOwner[request.key, default: 0] + waiting[request.key, default: []].count
        if count > 2 * owner.share { owner.recordExceededShare() }
    }

    /// Returns the next request that may run and marks it as running, or nil if all must wait.
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

    /// Removes a request that has ended, or that was cancelled while it waited.
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
