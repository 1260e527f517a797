/// Threads of its own for tasks that prefer it: where reading files blocks, or working through bytes takes long.
///
/// The threads end when nobody holds the executor any more and all that was handed over has run: a task that prefers
/// it holds it, and so does each job that waits.
package final class ThreadExecutor: TaskExecutor {
    private let queue = WorkQueue()
    /// How many jobs run at once, at most.
    package let threadCount: Int

    /// An executor whose threads have a name.
    package init(name: String, threadCount: Int = 1) throws(SystemError) {
        precondition(threadCount > 0, "an executor needs a thread")
        self.threadCount = threadCount
        try queue.start(name: name, threadCount: threadCount)
    }

    deinit { queue.stop(threadCount: threadCount) }

    /// Runs a job after those that were handed over before have begun.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append { [self] in
            // The runtime hands each job over once and keeps it alive until it has run; the executor is held.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// A thread of its own for an actor whose work blocks: jobs and plain closures, in the order in which they came.
///
/// The thread ends as those of a `ThreadExecutor` do. An actor holds its executor.
package final class SerialThreadExecutor: SerialExecutor {
    private let queue = WorkQueue()

    /// An executor whose thread has a name.
    package init(name: String) throws(SystemError) { try queue.start(name: name, threadCount: 1) }

    deinit { queue.stop(threadCount: 1) }

    /// Runs a job after all that was handed over before.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append { [self] in
            // As above.
            unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    /// Runs a closure after all that was handed over before.
    package func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.append { [self] in withExtendedLifetime(self, work) }
    }

    /// Stops the process where the caller is not on the thread.
    package func checkIsolated() {
        precondition(queue.isRunningHere, "not on the thread of this executor")
    }
}
