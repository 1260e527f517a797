import Foundation
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
    private static let commandPatience = DispatchTimeInterval.milliseconds(700)
    private static let servicePatience = DispatchTimeInterval.milliseconds(4_500)
    private static let lastWorkPatience = DispatchTimeInterval.milliseconds(200)

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

    /// Begins to listen for the signals.
    func watch() {
        let queue = DispatchQueue(label: "dtvr.signals")
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in
                if count.wrappingAdd(1, ordering: .relaxed).oldValue > 0 {
                    _exit(ExitStatus.interrupted.rawValue)
                }
                endLater(on: queue)
                for handler in handlers.withLock({ $0 }) { handler() }
            }
            source.resume()
            sources.withLock { $0.append(Source(source)) }
        }
    }

    /// Ends the process after a while, whatever it waits for.
    private func endLater(on queue: DispatchQueue) {
        let isService = deadline.withLock { $0.isService }
        queue.asyncAfter(deadline: .now() + (isService ? Self.servicePatience : Self.commandPatience)) {
            [self] in
            if let lastWork = deadline.withLock({ $0.lastWork }) {
                DispatchQueue.global().async(execute: lastWork)
            }
            queue.asyncAfter(deadline: .now() + Self.lastWorkPatience) {
                _exit(ExitStatus.interrupted.rawValue)
            }
        }
    }

    /// Keeps a signal source alive.
    ///
    /// Dispatch sources are safe to hold on any thread; the protocol does not say so.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceSignal
        init(_ source: any DispatchSourceSignal) { self.source = source }
    }

    private let sources = Mutex<[Source]>([])
}
