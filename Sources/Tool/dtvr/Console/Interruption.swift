import Dispatch
import Glibc
import Synchronization

/// The interruption of the tool by SIGINT or SIGTERM.
///
/// The first signal requests an orderly end within one second, or five for a service. After that limit the process
/// exits even if the command is blocked. The second signal ends the process immediately.
final class Interruption: Sendable {
    static let shared = Interruption()

    private let count = Atomic<Int>(0)
    private let handlers = Mutex<[@Sendable () -> Void]>([])
    private let deadline = Mutex(Deadline())

    /// The parameters of the forced end.
    private struct Deadline {
        var isService = false
        var lastWork: (@Sendable () -> Void)?
    }

    /// The time limits for an orderly end, and for the last work before a forced end.
    private static let commandLimit = DispatchTimeInterval.milliseconds(700)
    private static let serviceLimit = DispatchTimeInterval.milliseconds(4_500)
    private static let lastWorkLimit = DispatchTimeInterval.milliseconds(200)

    var isRequested: Bool { count.load(ordering: .relaxed) > 0 }

    /// Runs `handler` when the user interrupts; immediately if that has already happened.
    func onRequest(_ handler: @escaping @Sendable () -> Void) {
        handlers.withLock { $0.append(handler) }
        if isRequested { handler() }
    }

    /// Sets the work to do before a forced end, which limits it to 200 ms.
    func beforeHardEnd(_ work: @escaping @Sendable () -> Void) { deadline.withLock { $0.lastWork = work } }

    /// Gives this command the service limit of five seconds for an orderly end.
    func becomeService() { deadline.withLock { $0.isService = true } }

    /// Returns when the user interrupts.
    func wait() async {
        await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Void, Never>?>(continuation)
            onRequest { waiting.withLock { $0.take() }?.resume() }
        }
    }

    /// Blocks the signals before any other thread exists, so that an early signal is not lost.
    func watch() {
        var signals = Self.signals
        // `pthread_sigmask` reads the set before it returns.
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// The signals that request the end.
    private static var signals: sigset_t {
        var signals = sigset_t()
        // The calls fill the set and keep no pointer to it.
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { unsafe sigaddset(&signals, number) }
        return signals
    }

    /// Receives the signals on this thread for the life of the process.
    func takeSignals() -> Never {
        var signals = Self.signals
        let queue = DispatchQueue(label: "dtvr.end")
        while true {
            var number: Int32 = 0
            // Both variables outlive the call.
            guard unsafe sigwait(&signals, &number) == 0 else { continue }
            if count.wrappingAdd(1, ordering: .relaxed).oldValue > 0 {
                _exit(ExitStatus.interrupted.rawValue)
            }
            endLater(on: queue)
            for handler in handlers.withLock({ $0 }) { handler() }
        }
    }

    /// Schedules the forced end of the process.
    private func endLater(on queue: DispatchQueue) {
        let isService = deadline.withLock { $0.isService }
        queue.asyncAfter(deadline: .now() + (isService ? Self.serviceLimit : Self.commandLimit)) {
            [self] in
            if let lastWork = deadline.withLock({ $0.lastWork }) {
                DispatchQueue.global().async(execute: lastWork)
            }
            queue.asyncAfter(deadline: .now() + Self.lastWorkLimit) {
                _exit(ExitStatus.interrupted.rawValue)
            }
        }
    }
}
