import Glibc
import Synchronization

/// One thread that runs what it is handed, in that order: where a store's calls into SQLite block.
///
/// It is the executor of an actor, and takes plain closures besides, so that a commit can be begun without a
/// task. It ends with `stop()`, once everything handed over before has run.
///
/// What belongs to the actor runs under one lock, and whoever holds that owns the actor: this thread or, while it
/// has nothing to do, another that may block.
final class OwnerThread: SerialExecutor {
    private enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
        case help(@Sendable () -> Void)
        case stop
    }

    private struct Queue {
        var waiting: [Work] = []
    }

    private let queue = Mutex(Queue())
    private let signal = Semaphore()
    private let ownership = Mutex(())
    /// The thread that holds the lock; 0 for none.
    private let owner = Atomic<UInt>(0)

    init() throws(StoreError) {
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

    func enqueue(_ job: consuming ExecutorJob) {
        hand(over: .job(UnownedJob(job)))
    }

    /// Runs a closure on the thread, after everything that was handed over before.
    func enqueue(_ call: @escaping @Sendable () -> Void) {
        hand(over: .call(call))
    }

    /// Runs a closure on the thread like `enqueue`, but without owning the actor: others may meanwhile.
    func enqueueHelp(_ call: @escaping @Sendable () -> Void) {
        hand(over: .help(call))
    }

    /// Runs a closure here, in the thread's place; does not, and returns nil, while the thread or another caller
    /// owns the actor.
    ///
    /// Blocks for as long as the closure does. What is handed over meanwhile runs after it.
    func runHereIfFree<Value: Sendable>(_ body: () -> Value?) -> Value? {
        ownership.withLockIfAvailable { _ in own(body) } ?? nil
    }

    /// Runs a closure under the lock, as the owner.
    private func own<Value>(_ body: () -> Value) -> Value {
        // The lock is what orders one owner's work before the next one's; the thread sanitizer does not see that of a
        // Mutex that is contended, but it sees this.
        _ = owner.exchange(UInt(pthread_self()), ordering: .acquiring)
        defer { owner.store(0, ordering: .releasing) }
        return body()
    }

    /// Ends the thread once it has run everything.
    func stop() {
        hand(over: .stop)
    }

    /// Waits for work; awake for as long as `pause` says, asleep after that.
    private func wait(_ pause: inout BriefPause) {
        let start = Self.nanoseconds
        while pause.isAwake(after: Self.nanoseconds &- start) {
            if signal.tryWait() {
                pause.end(after: Self.nanoseconds &- start)
                return
            }
            sched_yield()
        }
        // An interrupted wait only looks at the queue too early.
        signal.wait()
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
            owner.load(ordering: .relaxed) == UInt(pthread_self()), "not by the owner of the store")
    }

    private func hand(over work: Work) {
        queue.withLock { $0.waiting.append(work) }
        signal.signal()
    }

    private func run() {
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
                case .job(let job):
                    ownership.withLock { _ in
                        own { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
                    }
                case .call(let call): ownership.withLock { _ in own(call) }
                case .help(let call): call()
                case .stop: return
                }
            }
        }
    }
}
