import Dispatch
import Glibc
import Synchronization

/// The signal SIGHUP, which makes a service read its files again.
///
/// A SIGHUP from a closed terminal ends the service instead.
enum ReloadSignal {
    /// Calls `handler` for each signal, until the returned source is released.
    static func receive(_ handler: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        // The dispatch source handles the signal; its default action would end the process.
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        let hasTerminal = isatty(STDOUT_FILENO) == 1
        let hasHungUp = Mutex(false)
        source.setEventHandler {
            if hasTerminal, isatty(STDOUT_FILENO) == 0 {
                // The shell and the kernel send one SIGHUP each, and a second SIGTERM would end the process at once.
                let isFirst = hasHungUp.withLock { hasHungUp in
                    defer { hasHungUp = true }
                    return !hasHungUp
                }
                // Send it to the process: the threads of this queue block the signal.
                if isFirst, !Interruption.shared.isRequested { kill(getpid(), SIGTERM) }
                return
            }
            handler()
        }
        source.resume()
        return source
    }
}
