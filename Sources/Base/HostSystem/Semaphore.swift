import Glibc

/// A count that threads wait for.
@safe package final class Semaphore: Sendable {
    // Sendable although a pointer: written once, and a semaphore is made to be used by several threads.
    private nonisolated(unsafe) let handle: UnsafeMutablePointer<sem_t>

    /// A count of 0.
    package init() {
        unsafe handle = .allocate(capacity: 1)
        // The memory is of the semaphore's own type, and stays in place until `deinit`; so for every call below.
        unsafe sem_init(handle, 0, 0)
    }

    deinit {
        // Nobody can wait on it any more: who does holds a reference.
        unsafe sem_destroy(handle)
        unsafe handle.deallocate()
    }

    /// Lets one wait end.
    package func signal() {
        unsafe sem_post(handle)
    }

    /// Waits, blocked; an interrupted wait ends too early.
    package func wait() {
        unsafe sem_wait(handle)
    }

    /// Waits, blocked, at most so long; false where that was not enough.
    package func wait(atMost limit: Duration) -> Bool {
        var end = timespec()
        // Writes to its argument only; every Linux has the clock, which is the one that the call below goes by.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &end)
        // A year is as good as for ever, and is far from any overflow.
        let (seconds, attoseconds) = min(max(limit, .zero), .seconds(31_536_000)).components
        let nanoseconds = Int(attoseconds / 1_000_000_000) + end.tv_nsec
        end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        while unsafe sem_timedwait(handle, &end) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
