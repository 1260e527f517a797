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
