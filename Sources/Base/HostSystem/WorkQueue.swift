import Glibc
import Synchronization

/// Work that waits for threads, first come first served.
final class WorkQueue: Sendable {
    struct Waiting {
        var work: [@Sendable () -> Void] = []
        /// Where the next piece is; what is before it was taken.
        var first = 0
        var isStopped = false
    }

    private let waiting = Mutex(Waiting())
    /// One signal for each piece of work, and one for each thread that is to end.
    private let signals = Semaphore()
    /// The thread that began to run work last; 0 before there was one.
    private let thread = Atomic<UInt>(0)

    /// Whether the caller is the thread of a queue that has one.
    var isRunningHere: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Starts threads that run work until the queue is stopped; none where one of them cannot be started.
    func start(name: String, threadCount: Int) throws(SystemError) {
        for started in 0..<threadCount {
            do throws(SystemError) {
                try HostThread.start(name: name) { [self] in run() }
            } catch {
                stop(threadCount: started)
                throw error
            }
        }
    }

    func append(_ work: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.work.append(work) }
        signals.signal()
    }

    /// Ends so many threads, once the work that waits is done.
    func stop(threadCount: Int) {
        waiting.withLock { $0.isStopped = true }
        for _ in 0..<threadCount { signals.signal() }
    }

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            // An interrupted wait only looks at the queue too early.
            signals.wait()
            let (work, isStopped) = waiting.withLock { waiting in (waiting.next(), waiting.isStopped) }
            if let work { work() } else if isStopped { return }
        }
    }
}

extension WorkQueue.Waiting {
    /// Takes the next piece of work; what was taken is let go in one go, so that a long queue costs little copying.
    mutating func next() -> (@Sendable () -> Void)? {
        guard first < work.count else { return nil }
        let next = work[first]
        first += 1
        if first == work.count {
            work.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 1_024, first * 2 > work.count {
            // A queue that is never empty must not keep all that was ever done.
            work.removeFirst(first)
            first = 0
        }
        return next
    }
}
