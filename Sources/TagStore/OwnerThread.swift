import Glibc
import Synchronization

/// One thread that runs what it is handed, in that order: where a store's calls into SQLite block.
///
/// It is the executor of an actor, and takes plain closures besides, so that a commit can be begun without a
/// task. It ends with `stop()`, once everything handed over before has run.
@safe final class OwnerThread: SerialExecutor {
    private enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
        case stop
    }

    private struct Queue {
        var waiting: [Work] = []
    }

    private let queue = Mutex(Queue())
    private let identity = Atomic<UInt>(0)

    // Sendable although a pointer: written once, and a semaphore is made to be used by several threads.
    private nonisolated(unsafe) let signal: UnsafeMutablePointer<sem_t>

    init() throws(StoreError) {
        unsafe signal = .allocate(capacity: 1)
        // The memory is of the semaphore's own type, and stays in place until `deinit`.
        unsafe sem_init(signal, 0, 0)
        var thread = pthread_t()
        // The thread takes over the reference and gives it back when it ends.
        let retained = unsafe Unmanaged.passRetained(self)
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<OwnerThread>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, retained.toOpaque())
        guard code == 0 else {
            unsafe retained.release()
            throw .system(operation: "pthread_create", path: "", errno: code)
        }
        pthread_detach(thread)
    }

    deinit {
        // Nobody can wait on it any more: the thread itself held a reference.
        unsafe sem_destroy(signal)
        unsafe signal.deallocate()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        hand(over: .job(UnownedJob(job)))
    }

    /// Runs a closure on the thread, after everything that was handed over before.
    func enqueue(_ call: @escaping @Sendable () -> Void) {
        hand(over: .call(call))
    }

    /// Ends the thread once it has run everything.
    func stop() {
        hand(over: .stop)
    }

    /// Waits for work; awake for as long as `pause` says, asleep after that.
    private func wait(_ pause: inout BriefPause) {
        let start = Self.nanoseconds
        // The semaphore lives as long as `self`.
        while pause.isAwake(after: Self.nanoseconds &- start) {
            if unsafe sem_trywait(signal) == 0 {
                pause.end(after: Self.nanoseconds &- start)
                return
            }
            sched_yield()
        }
        // An interrupted wait only looks at the queue too early.
        unsafe sem_wait(signal)
        pause.end(after: Self.nanoseconds &- start)
    }

    private static var nanoseconds: Int64 {
        var time = timespec()
        // Every Linux has this clock; the call writes only to its own argument.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    func checkIsolated() {
        precondition(
            identity.load(ordering: .relaxed) == UInt(pthread_self()), "not on the store's own thread")
    }

    private func hand(over work: Work) {
        queue.withLock { $0.waiting.append(work) }
        // The semaphore lives as long as `self`.
        unsafe sem_post(signal)
    }

    private func run() {
        identity.store(UInt(pthread_self()), ordering: .relaxed)
        var pause = BriefPause()
        while true {
            wait(&pause)
            let batch = queue.withLock { queue in
                let batch = queue.waiting
                queue.waiting.removeAll(keepingCapacity: true)
                return batch
            }
            for work in batch {
                switch work {
                case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
                case .call(let call): call()
                case .stop: return
                }
            }
        }
    }
}
