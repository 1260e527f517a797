import Glibc
import Synchronization

/// A task executor with its own threads, for tasks that block on files or compute for a long time.
///
/// The threads end when the executor has no more references and its queue is empty. Tasks that prefer the executor and
/// queued jobs hold references to it.
package final class ThreadExecutor: TaskExecutor {
    private let queue = WorkQueue()
    /// The maximum number of jobs that run at the same time.
    package let threadCount: Int

    /// Creates an executor whose threads have this name.
    package init(name: String, threadCount: Int = 1) throws(SystemError) {
        precondition(threadCount > 0, "an executor needs a thread")
        self.threadCount = threadCount
        try queue.start(name: name, threadCount: threadCount)
    }

    deinit { queue.stop(threadCount: threadCount) }

    /// Runs a job after all earlier jobs have started.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append { [self] in
            // The runtime enqueues each job once and keeps it alive until it has run; the closure retains the executor.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// A serial executor with its own thread, for actors whose work blocks; jobs and closures run in order.
///
/// The thread ends under the same conditions as those of `ThreadExecutor`. An actor retains its executor.
package final class SerialThreadExecutor: SerialExecutor {
    private let queue = WorkQueue()

    /// Creates an executor whose thread has this name.
    package init(name: String) throws(SystemError) { try queue.start(name: name, threadCount: 1) }

    deinit { queue.stop(threadCount: 1) }

    /// Runs a job after all earlier work.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append { [self] in
            // As above.
            unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    /// Runs a closure after all earlier work.
    package func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.append { [self] in withExtendedLifetime(self, work) }
    }

    /// Traps if the caller is not on the executor's thread.
    package func checkIsolated() {
        precondition(queue.isRunningHere, "not on the thread of this executor")
    }
}

/// A FIFO queue of work for threads.
final class WorkQueue: Sendable {
    struct Waiting {
        var work: [@Sendable () -> Void] = []
        /// The index of the next item; the items before it are already taken.
        var first = 0
        var isStopped = false
    }

    private let waiting = Mutex(Waiting())
    /// One signal per item, and one per thread that should end.
    private let signals = Semaphore()
    /// The last thread that started to process the queue; 0 before the first.
    private let thread = Atomic<UInt>(0)

    /// Whether the caller is the thread of a single-threaded queue.
    var isRunningHere: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Starts threads that run work until the queue is stopped; if one thread fails to start, stops the others.
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

    /// Ends `threadCount` threads after the pending work is done.
    func stop(threadCount: Int) {
        waiting.withLock { $0.isStopped = true }
        for _ in 0..<threadCount { signals.signal() }
    }

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            // After a wake-up without work, the loop waits again unless the queue is stopped.
            signals.wait()
            let (work, isStopped) = waiting.withLock { waiting in (waiting.next(), waiting.isStopped) }
            if let work { work() } else if isStopped { return }
        }
    }
}

extension WorkQueue.Waiting {
    /// Removes and returns the next item; taken items are released in batches, so that a long queue needs little
    /// copying.
    mutating func next() -> (@Sendable () -> Void)? {
        guard first < work.count else { return nil }
        let next = work[first]
        first += 1
        if first == work.count {
            work.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 1_024, first * 2 > work.count {
            // A queue that never becomes empty must release its taken items too.
            work.removeFirst(first)
            first = 0
        }
        return next
    }
}
