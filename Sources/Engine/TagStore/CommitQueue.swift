/// The appends that wait for a commit.
///
/// A commit begins at once when none is under way; what comes meanwhile waits here and shares the next.
struct CommitQueue: Sendable {
    struct Waiting: Sendable {
        let append: EncodedAppend
        let answer: AppendAnswer
    }

    /// What waits at most: the disk is far behind then.
    static let maximumByteCount = 8_388_608

    private var waiting: [Waiting] = []
    private var byteCount = 0
    private var isCommitComing = false

    var isEmpty: Bool { waiting.isEmpty }

    /// How many appends wait.
    var count: Int { waiting.count }

    /// Whether nothing waits and no commit is under way.
    var isIdle: Bool { !isCommitComing && waiting.isEmpty }

    enum Action: Sendable, Hashable {
        /// Have `takeGroup` called on the store's thread.
        case beginCommit
        /// A commit is coming that takes it along.
        case none
        /// There is no room to wait in: answer with `StoreError.overloaded`.
        case refuse
    }

    /// Lets an append wait, and says what is to be done.
    mutating func add(_ item: Waiting, isUrgent: Bool) -> Action {
        guard byteCount + item.append.byteCount <= Self.maximumByteCount else { return .refuse }
        waiting.append(item)
        byteCount += item.append.byteCount
        return isUrgent ? commit() : .none
    }

    /// Begins a commit of something that never waited here; false where another is under way or due.
    mutating func beginAlone() -> Bool {
        guard isIdle else { return false }
        isCommitComing = true
        return true
    }

    /// Asks for a commit of what waits.
    mutating func commit() -> Action {
        guard !isCommitComing, !waiting.isEmpty else { return .none }
        isCommitComing = true
        return .beginCommit
    }

    /// The appends that share the next commit: as many as `rowCount` and `byteCount` allow, one at the least.
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
        waiting.removeFirst(end)
        byteCount -= bytes
        return group
    }

    /// Ends a commit; true where the next is to begin at once.
    mutating func endCommit() -> Bool {
        isCommitComing = !waiting.isEmpty
        return isCommitComing
    }
}
