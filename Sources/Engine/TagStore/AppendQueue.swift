/// The appends that wait for a commit.
///
/// A commit starts immediately if none is running. Appends that arrive during a commit share the next one.
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

    /// The number of waiting appends.
    var count: Int { waiting.count }

    enum Action: Sendable, Hashable {
        /// The caller must schedule a commit, which calls `takeGroup`, on the buffer's thread.
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

    /// Removes and returns the appends for the next commit: as many as both limits allow, but at least one.
    mutating func takeGroup(rowCount: Int, byteCount limit: Int) -> [Waiting] {
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
        return group
    }

    /// Ends a commit and returns whether the next one must start immediately.
    mutating func endCommit() -> Bool {
        isCommitting = !waiting.isEmpty
        return isCommitting
    }
}
