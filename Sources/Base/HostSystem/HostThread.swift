import Glibc

/// A detached thread for blocking work, which keeps Swift's cooperative threads free.
package enum HostThread {
    /// Starts a thread that runs `body` and then ends.
    ///
    /// - Parameters:
    ///   - name: the name in debuggers and `top -H`, truncated to 15 bytes.
    ///   - stackByteCount: the stack size; the default is 8 MiB, which C libraries expect.
    package static func start(
        name: String, stackByteCount: Int = 8 << 20, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var attributes = pthread_attr_t()
        // Initialized here, used by the call below and destroyed after it.
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        // The thread consumes the reference; if the call fails, it is released below.
        let context = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { context in
                guard let context = unsafe context else { return nil }
                // Consumes the reference passed by `start`.
                let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                start.run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            unsafe context.release()
            throw SystemError(operation: "pthread_create", code: code)
        }
    }

    /// The parameters of a new thread.
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

    /// Blocks signals in this thread, so that signals sent to the process are delivered to other threads.
    ///
    /// A broken connection then returns an error code instead of raising SIGPIPE. Signals caused by the thread itself
    /// stay enabled.
    private static func blockSignals() {
        var signals = sigset_t()
        // The first call initializes the set, and the last one reads it.
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] {
            unsafe sigdelset(&signals, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Sets the thread's name through `/proc`, because Swift does not import `pthread_setname_np`.
    private static func setName(_ name: String) {
        do throws(SystemError) {
            // The kernel keeps the first 15 bytes.
            let file = try FileDescriptor(path: "/proc/thread-self/comm", options: .writing)
            try file.write(Array(name.utf8).span)
        } catch {
            // The name is optional.
        }
    }
}
