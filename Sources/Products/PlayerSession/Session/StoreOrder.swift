import NielsenID3
import TagRecord

/// A pending operation on a buffer, in the order of the calls.
enum StoreOrder: Sendable {
    /// Appends a tag of a session.
    case append(KeptTag, session: UInt64)
    /// Appends the summary of an asset of a session.
    case summarize(AssetSummary, session: UInt64)
    /// Releases a tag for delivery that was appended as held.
    case release(KeptTag, session: UInt64)
    /// Answers a caller once all earlier orders are done.
    case tell(CheckedContinuation<Bool, Never>)

    /// The approximate memory use.
    var byteCount: Int {
        switch self {
        case .append(let tag, _), .release(let tag, _): tag.occurrence.tag.ownerIdentifier.count + 512
        case .summarize: 512
        case .tell: 64
        }
    }
}

/// The pending orders, bounded in bytes.
struct StoreOrders: Sendable {
    /// The limit while the disk is full or read-only.
    static let maximumByteCount = 4 << 20
    /// The maximum number of tags in one transaction.
    private static let groupCount = 64

    private var orders: [StoreOrder] = []
    private var first = 0
    private var byteCount = 0

    var isEmpty: Bool { first == orders.count }

    /// Adds an order; returns false if there is no room for a tag or a summary.
    ///
    /// Releases are always accepted: there are no more of them than tags.
    mutating func add(_ order: StoreOrder) -> Bool {
        switch order {
        case .append, .summarize:
            if byteCount + order.byteCount > Self.maximumByteCount { return false }
        case .release, .tell: break
        }
        orders.append(order)
        byteCount += order.byteCount
        return true
    }

    /// Removes and returns the next orders of one kind, which share a transaction; empty if none wait.
    mutating func takeGroup() -> [StoreOrder] {
        var end = first
        while end < orders.count, end - first < Self.groupCount, orders[first].shares(with: orders[end]) {
            end += 1
        }
        let group = Array(orders[first..<end])
        first = end
        byteCount -= group.reduce(0) { $0 + $1.byteCount }
        if first == orders.count {
            orders.removeAll(keepingCapacity: true)
            first = 0
        }
        return group
    }

    /// Removes and returns the callers that wait for an answer.
    mutating func takeTellings() -> [CheckedContinuation<Bool, Never>] {
        var tellings: [CheckedContinuation<Bool, Never>] = []
        var kept: [StoreOrder] = []
        for order in orders[first...] {
            if case .tell(let answer) = order { tellings.append(answer) } else { kept.append(order) }
        }
        orders = kept
        first = 0
        byteCount = kept.reduce(0) { $0 + $1.byteCount }
        return tellings
    }
}

extension StoreOrder {
    fileprivate func shares(with other: StoreOrder) -> Bool {
        switch (self, other) {
        case (.append(let tag, _), .append(let next, _)): tag.isHeld == next.isHeld
        case (.release, .release), (.summarize, .summarize), (.tell, .tell): true
        default: false
        }
    }
}
