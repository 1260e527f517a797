/// The appends that wait for a commit.
///
/// A commit starts at once when none is running; what comes meanwhile waits here and shares the next.
struct AppendQueue: Sendable {
    struct Waiting: Sendable {
        let append: EncodedAppend
        let answer: CheckedContinuation<Result<AppendOutcome, StoreError>, Never>
    }

    /// What may wait at most; the disk does not keep up then.
    static let maximumByteCount = 8_388_608
    /// What may wait at most where each append is the only one of its owner: nobody who has an append wait keeps others from
    /// having one.
    static let maximumByteCountOfOnlyOnes = 67_108_864

    private var waiting: [Waiting] = []
    private var byteCount = 0
    /// How many appends of each owner wait.
    private var counts: [TagOwner: Int] = [:]
    private var isCommitting = false

    /// How many appends wait.
    var count: Int { waiting.count }

    enum Action: Sendable, Hashable {
        /// Have `takeGroup` called on the buffer's thread.
        case beginCommit
        /// A commit is coming that takes it along.
        case none
        /// There is no room to wait in: answer with `StoreError.overloaded`.
        case refuse
    }

    /// Lets an append wait, and says what is to be done.
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

    /// The appends that share the next commit: as many as both limits allow, but one at least.
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

    /// Ends a commit; true where the next is to begin at once.
    mutating func endCommit() -> Bool {
        isCommitting = !waiting.isEmpty
        return isCommitting
    }
}
