/// The appends that wait for a commit.
///
/// A commit starts immediately if none is running and the interval since the start of the last one has passed. Appends
/// that arrive until then share the next one.
struct AppendQueue: Sendable {
    struct Waiting: Sendable {
        let append: EncodedAppend
        let answer: CheckedContinuation<Result<AppendOutcome, StoreError>, Never>
    }

    /// The size limit of the queue; reaching it means that the disk is too slow.
    static let maximumByteCount = 8_388_608
    /// The size limit for an append whose owner has no other append in the queue.
    ///
    /// The higher limit keeps owners with a long queue from blocking the others.
    static let maximumByteCountOfOnlyOnes = 67_108_864

    private var waiting: [Waiting] = []
    private var byteCount = 0
    /// The number of waiting appends per owner.
    private var counts: [TagOwner: Int] = [:]
    private var isCommitting = false
    /// The minimum time between the starts of two commits.
    private let interval: Duration
    /// The earliest start of the next commit; nil before the first one.
    private var nextStart: ContinuousClock.Instant?

    /// Creates an empty queue with a minimum time between the starts of two commits.
    init(interval: Duration) { self.interval = interval }

    /// The number of waiting appends.
    var count: Int { waiting.count }

    enum Action: Sendable, Hashable {
        /// The caller must schedule a commit, which calls `takeGroup`, on the buffer's thread, after `timeToStart`.
        case beginCommit
        /// A commit that will include the append is already scheduled.
        case none
        /// The queue is full: the caller must answer with `StoreError.overloaded`.
        case refuse
    }

    /// Adds an append to the queue and returns the action that the caller must take.
    mutating func add(_ item: Waiting) -> Action {
        let owner = item.append.owner
        let isOnlyOne = owner != .nobody && counts[owner] == nil
        let maximum = isOnlyOne ? Self.maximumByteCountOfOnlyOnes : Self.maximumByteCount
        guard byteCount + item.append.byteCount <= maximum else { return .refuse }
        waiting.append(item)
        counts[owner, default: 0] += 1
        byteCount += item.append.byteCount
        defer { isCommitting = true }
        return isCommitting ? .none : .beginCommit
    }

    /// Returns the time until the next commit may start.
    func timeToStart(at now: ContinuousClock.Instant) -> Duration {
        nextStart.map { max(.zero, $0 - now) } ?? .zero
    }

    /// Removes and returns the appends for a commit that starts now: as many as both limits allow, but at least one.
    mutating func takeGroup(rowCount: Int, byteCount limit: Int, at now: ContinuousClock.Instant) -> [Waiting]
    {
        var rows = 0
        var bytes = 0
        var end = 0
        while end < waiting.count {
            let append = waiting[end].append
            if end > 0, rows + append.rowCount > rowCount || bytes + append.byteCount > limit { break }
            rows += append.rowCount
            bytes += append.byteCount
            end += 1
        }
        let group = Array(waiting[..<end])
        for item in group {
            let owner = item.append.owner
            let rest = counts[owner, default: 1] - 1
            counts[owner] = rest > 0 ? rest : nil
        }
        waiting.removeFirst(end)
        byteCount -= bytes
        // More appends than a commit may have do not wait for others.
        nextStart = waiting.isEmpty ? now + interval : now
        return group
    }

    /// Ends a commit and returns whether the caller must schedule the next one.
    mutating func endCommit() -> Bool {
        isCommitting = !waiting.isEmpty
        return isCommitting
    }
}
