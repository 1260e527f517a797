import HostSystem
import Synchronization

/// A Boolean result that a task provides to a blocked thread.
final class WaitedAnswer: Sendable {
    private let value = Mutex<Bool?>(nil)
    private let semaphore = Semaphore()

    func give(_ answer: Bool) {
        value.withLock { $0 = answer }
        semaphore.signal()
    }

    /// Returns the result; nil if it does not arrive in time.
    func wait(atMost limit: Duration) -> Bool? {
        _ = semaphore.wait(atMost: limit)
        return value.withLock { $0 }
    }
}
