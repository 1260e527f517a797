import Glibc

/// A thread for work that blocks, so that Swift's tasks keep theirs.
///
/// Nobody waits for its end.
package enum HostThread {
    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Parameters:
    ///   - name: what debuggers and `top -H` show, 15 bytes of it at most.
    ///   - stackByteCount: 8 MiB, as the main thread has, is what C libraries are used to.
    package static func start(
        name: String, stackByteCount: Int = 8 << 20, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var attributes = pthread_attr_t()
        // Initialized here, used by the call below, and destroyed after it.
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        // The thread takes over the reference, or the failure below gives it back.
        let context = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { context in
                guard let context = unsafe context else { return nil }
                // The reference of `start`, taken over.
                let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                start.run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            unsafe context.release()
            throw SystemError(operation: "pthread_create", code: code)
        }
    }

    /// What a thread is started with.
    private final class Start: Sendable {
        private let name: String
        private let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            HostThread.blockSignals()
            HostThread.setName(name)
            body()
        }
    }

    /// Signals are the program's: none that is sent to the process is delivered to this thread, and a broken
    /// connection is an error code here, not SIGPIPE.
    ///
    /// Those that a thread brings on itself go where they always go.
    private static func blockSignals() {
        var signals = sigset_t()
        // The set is initialized by the first call and read by the last.
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] {
            unsafe sigdelset(&signals, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// The function for this is not among those that Swift imports.
    private static func setName(_ name: String) {
        do throws(SystemError) {
            // The kernel keeps the first 15 bytes.
            let file = try FileDescriptor(path: "/proc/thread-self/comm", options: .writing)
            try file.write(Array(name.utf8).span)
        } catch {
            // A thread without a name works as well.
        }
    }
}
