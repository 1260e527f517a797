/// Tags of one append, compressed, on their way to the disk.
struct EncodedAppend: Sendable {
    struct Entry: Sendable, Hashable {
        let id: TagID
        let encoding: Int64
        let bytes: Range<Int>
    }

    let entries: [Entry]
    let bytes: [UInt8]
    let receivedWall: Int64
    let receivedBoot: Int64
}

/// The appends that wait for a commit.
///
/// A commit begins at once when none is under way; what comes meanwhile waits here and shares the next.
struct CommitQueue: Sendable {
    typealias Answer = CheckedContinuation<Result<AppendOutcome, StoreError>, Never>

    struct Waiting: Sendable {
        let append: EncodedAppend
        let answer: Answer
    }

    /// What waits at most: the disk is far behind then.
    static let maximumByteCount = 8_388_608

    private var waiting: [Waiting] = []
    private var byteCount = 0
    private var isCommitComing = false

    var isEmpty: Bool { waiting.isEmpty }

    /// How many appends wait.
    var count: Int { waiting.count }

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
        guard byteCount + item.append.bytes.count <= Self.maximumByteCount else { return .refuse }
        waiting.append(item)
        byteCount += item.append.bytes.count
        return isUrgent ? commit() : .none
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
            if end > 0, rows + append.entries.count > rowCount || bytes + append.bytes.count > limit { break }
            rows += append.entries.count
            bytes += append.bytes.count
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
