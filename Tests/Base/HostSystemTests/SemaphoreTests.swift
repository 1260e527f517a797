import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HostSystem

@Suite(.timeLimit(.minutes(30))) struct SemaphoreTests {
    @Test func wait_withoutASignal_timesOut() {
        let semaphore = Semaphore()
        #expect(!semaphore.wait(atMost: .milliseconds(1)))
        #expect(!semaphore.wait(atMost: .zero))
        semaphore.signal()
        #expect(semaphore.wait(atMost: .zero))
        #expect(!semaphore.wait(atMost: .seconds(-1)))
    }

    /// A handler without SA_RESTART interrupts the system calls of the thread that receives the signal.
    @Test func wait_interruptedByUnixSignals_endsOnlyWhenSignaled() async throws {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in }
        unsafe sigaction(SIGUSR2, &action, nil)
        let semaphore = Semaphore()
        let isOver = Mutex(false)
        let thread = Mutex<pthread_t?>(nil)
        async let waiting: Void = try onOwnThread {
            // The threads of Dispatch block all signals, and so do the threads that they start.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGUSR2)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            thread.withLock { $0 = pthread_self() }
            semaphore.wait()
            isOver.withLock { $0 = true }
        }
        try await wait(for: "the thread") { thread.withLock { $0 != nil } }
        let number = try #require(thread.withLock { $0 })
        for _ in 0..<200 {
            _ = pthread_kill(number, SIGUSR2)
            // Long enough that the handler runs at least sometimes.
            try await onOwnThread { _ = poll(nil, 0, 1) }
        }
        #expect(isOver.withLock { !$0 })
        semaphore.signal()
        try await waiting
        #expect(isOver.withLock { $0 })
    }
}
