import Dispatch
import Glibc
import Synchronization

/// Whether the user has asked the tool to stop.
///
/// The first SIGINT or SIGTERM asks for an orderly end, which has to come within a second: a command that waits for
/// something that cannot be given up is ended then. The second signal ends the process at once.
final class Interruption: Sendable {
    static let shared = Interruption()

    private let count = Atomic<Int>(0)
    private let handlers = Mutex<[@Sendable () -> Void]>([])
    private let deadline = Mutex(Deadline())

    /// When the end comes that is not orderly.
    private struct Deadline {
        var isService = false
        var lastWork: (@Sendable () -> Void)?
    }

    /// How long an orderly end may take, and how long what is done last.
    private static let commandLimit = DispatchTimeInterval.milliseconds(700)
    private static let serviceLimit = DispatchTimeInterval.milliseconds(4_500)
    private static let lastWorkLimit = DispatchTimeInterval.milliseconds(200)

    var isRequested: Bool { count.load(ordering: .relaxed) > 0 }

    /// Runs `handler` when the user asks for the end; at once if that has been.
    func onRequest(_ handler: @escaping @Sendable () -> Void) {
        handlers.withLock { $0.append(handler) }
        if isRequested { handler() }
    }

    /// What is done before an end that is not orderly, unless it takes long itself.
    func beforeHardEnd(_ work: @escaping @Sendable () -> Void) { deadline.withLock { $0.lastWork = work } }

    /// Gives this command the five seconds that a service has to end.
    func becomeService() { deadline.withLock { $0.isService = true } }

    /// Returns once the user asks for the end.
    func wait() async {
        await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Void, Never>?>(continuation)
            onRequest { waiting.withLock { $0.take() }?.resume() }
        }
    }

    /// Holds the signals back, before there is any other thread: none is lost, however early it comes.
    func watch() {
        var signals = Self.signals
        // Reads the set before it returns.
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// The signals that ask for the end.
    private static var signals: sigset_t {
        var signals = sigset_t()
        // The set is filled by the calls, which keep nothing of it.
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { unsafe sigaddset(&signals, number) }
        return signals
    }

    /// Takes the signals on this thread, for as long as the process lives.
    func takeSignals() -> Never {
        var signals = Self.signals
        let queue = DispatchQueue(label: "dtvr.end")
        while true {
            var number: Int32 = 0
            // Both live through the call.
            guard unsafe sigwait(&signals, &number) == 0 else { continue }
            if count.wrappingAdd(1, ordering: .relaxed).oldValue > 0 {
                _exit(ExitStatus.interrupted.rawValue)
            }
            endLater(on: queue)
            for handler in handlers.withLock({ $0 }) { handler() }
        }
    }

    /// Ends the process after a while, whatever it waits for.
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
