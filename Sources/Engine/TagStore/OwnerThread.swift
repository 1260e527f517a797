import Glibc
import Synchronization

/// One thread that runs what it is handed, in that order: where a store's calls into SQLite block.
///
/// It is the executor of an actor, and takes plain closures besides, so that a commit can be begun without a
/// task. It ends with `stop()`, once everything handed over before has run.
final class OwnerThread: SerialExecutor {
    private enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
        case stop
    }

    private struct Queue {
        var waiting: [Work] = []
    }

    private let queue = Mutex(Queue())
    private let signal = Semaphore()
    /// The thread itself, once it runs; 0 before.
    private let identity = Atomic<UInt>(0)

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

    /// Ends the thread once it has run everything.
    func stop() {
        hand(over: .stop)
    }

    func checkIsolated() {
        precondition(
            identity.load(ordering: .relaxed) == UInt(pthread_self()), "not on the store's thread")
    }

    private func hand(over work: Work) {
        queue.withLock { $0.waiting.append(work) }
        signal.signal()
    }

    private func run() {
        identity.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            // An interrupted wait only looks at the queue too early.
            signal.wait()
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
