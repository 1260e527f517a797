import HostSystem
import Synchronization

/// An answer that a task gives and a blocked thread waits for.
final class WaitedAnswer: Sendable {
    private let value = Mutex<Bool?>(nil)
    private let semaphore = Semaphore()

    func give(_ answer: Bool) {
        value.withLock { $0 = answer }
        semaphore.signal()
    }

    /// The answer; nil where it was not given in time.
    func wait(atMost limit: Duration) -> Bool? {
        _ = semaphore.wait(atMost: limit)
        return value.withLock { $0 }
    }
}
