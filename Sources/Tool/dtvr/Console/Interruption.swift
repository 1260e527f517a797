import Foundation
import Synchronization

/// Whether the user has asked the tool to stop.
///
/// The first SIGINT or SIGTERM asks for an orderly end; the second ends the process at once.
final class Interruption: Sendable {
    static let shared = Interruption()

    private let count = Atomic<Int>(0)
    private let handlers = Mutex<[@Sendable () -> Void]>([])

    var isRequested: Bool { count.load(ordering: .relaxed) > 0 }

    /// Runs `handler` when the user asks for the end; at once if that has been.
    func onRequest(_ handler: @escaping @Sendable () -> Void) {
        handlers.withLock { $0.append(handler) }
        if isRequested { handler() }
    }

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
                for handler in handlers.withLock({ $0 }) { handler() }
            }
            source.resume()
            sources.withLock { $0.append(Source(source)) }
        }
        // Writing to a pipe or socket whose reader has gone is an error value, not an end.
        signal(SIGPIPE, SIG_IGN)
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
