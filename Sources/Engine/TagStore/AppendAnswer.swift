import Synchronization

/// The way back to whoever appended: a task that is suspended, or a thread that is blocked.
enum AppendAnswer: Sendable {
    case task(CheckedContinuation<Result<AppendOutcome, StoreError>, Never>)
    case thread(BlockedCaller)

    /// Says what became of the append; to be called once.
    func give(_ result: Result<AppendOutcome, StoreError>) {
        switch self {
        case .task(let continuation): continuation.resume(returning: result)
        case .thread(let caller): caller.answer(result)
        }
    }
}

/// A thread that is blocked until its append is answered.
final class BlockedCaller: Sendable {
    private let result = Mutex<Result<AppendOutcome, StoreError>?>(nil)
    private let signal = Semaphore()

    func answer(_ result: Result<AppendOutcome, StoreError>) {
        self.result.withLock { $0 = result }
        signal.signal()
    }

    func wait() throws(StoreError) -> AppendOutcome {
        while true {
            if let result = result.withLock({ $0 }) { return try result.get() }
            signal.wait()
        }
    }
}
