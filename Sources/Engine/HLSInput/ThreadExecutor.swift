import Foundation
import Synchronization

/// Runs the jobs of tasks that prefer it on threads of its own, one unless more are asked for.
///
/// Reading files and working through their bytes blocks and computes for long; on the threads that Swift's
/// tasks share it would hold up every other task of the process. The threads end when nobody holds the executor
/// any more: a task that prefers it does, and so does each job that waits.
final class ThreadExecutor: TaskExecutor, Sendable {
    private let queue = WorkQueue()
    /// How many jobs run at once at most.
    let threadCount: Int

    /// An executor whose threads have a name, which debuggers and `top -H` show.
    init(name: String, threadCount: Int = 1) {
        self.threadCount = threadCount
        for _ in 0..<threadCount {
            let queue = queue
            let thread = Thread { queue.run() }
            thread.name = name
            // Demuxing goes into libavformat, which is at home on the stack of a main thread.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    deinit { queue.stop(threadCount) }

    /// Puts a job at the end of the queue.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append { [self] in
            // The runtime hands each job over once and keeps it alive until it has run; the executor is held.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// The work that waits for a thread, each piece announced by one signal.
private final class WorkQueue: Sendable {
    private struct Waiting {
        var work: [@Sendable () -> Void] = []
        var isStopped = false
    }

    private let waiting = Mutex(Waiting())
    private let wakeUp = DispatchSemaphore(value: 0)

    func append(_ work: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.work.append(work) }
        wakeUp.signal()
    }

    /// Ends as many threads, once the work that waits is done.
    func stop(_ threadCount: Int) {
        waiting.withLock { $0.isStopped = true }
        for _ in 0..<threadCount { wakeUp.signal() }
    }

    func run() {
        while true {
            wakeUp.wait()
            let (work, isStopped) = waiting.withLock { waiting in
                (waiting.work.isEmpty ? nil : waiting.work.removeFirst(), waiting.isStopped)
            }
            if let work { work() } else if isStopped { return }
        }
    }
}
