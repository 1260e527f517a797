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

    private var waiting: [Waiting] = []
    private var byteCount = 0
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
        guard byteCount + item.append.byteCount <= Self.maximumByteCount else { return .refuse }
        waiting.append(item)
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
