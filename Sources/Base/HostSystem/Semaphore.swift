import Glibc

/// A count that threads wait for.
///
/// It waits on a condition variable of CLOCK_MONOTONIC: `sem_timedwait` goes by the wall clock, which somebody may set, and a
/// signal handler ends `sem_wait` early.
@safe package final class Semaphore: Sendable {
    @unsafe private struct State {
        var mutex = unsafe pthread_mutex_t()
        var condition = pthread_cond_t()
        var count = 0
    }

    // Sendable although a pointer: written once, and its content is used with the mutex locked only.
    private nonisolated(unsafe) let state: UnsafeMutablePointer<State>

    /// A count of 0.
    package init() {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: State())
        var attributes = pthread_condattr_t()
        // The memory stays in place until `deinit`; so for every call below.
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_mutex_init(&state.pointee.mutex, nil)
        unsafe pthread_cond_init(&state.pointee.condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        // Nobody can wait on it any more: a waiting thread holds a reference.
        unsafe pthread_cond_destroy(&state.pointee.condition)
        unsafe pthread_mutex_destroy(&state.pointee.mutex)
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Ends one wait.
    package func signal() {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        unsafe state.pointee.count += 1
        unsafe pthread_cond_signal(&state.pointee.condition)
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    /// Waits, blocked, however many signals are handled meanwhile.
    package func wait() {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        while unsafe state.pointee.count == 0 {
            unsafe pthread_cond_wait(&state.pointee.condition, &state.pointee.mutex)
        }
        unsafe state.pointee.count -= 1
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    /// Waits, blocked, at most so long by the monotonic clock; false where that was not enough.
    package func wait(atMost limit: Duration) -> Bool {
        var end = timespec()
        // Writes to its argument only; every Linux has the clock.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        // A year is as good as for ever, and is far from any overflow.
        let (seconds, attoseconds) = min(max(limit, .zero), .seconds(31_536_000)).components
        let nanoseconds = Int(attoseconds / 1_000_000_000) + end.tv_nsec
        end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        defer { unsafe pthread_mutex_unlock(&state.pointee.mutex) }
        while unsafe state.pointee.count == 0 {
            let code = unsafe pthread_cond_timedwait(
                &state.pointee.condition, &state.pointee.mutex, &end)
            let isGiven = unsafe state.pointee.count > 0
            guard code == 0 || isGiven else { return false }
        }
        unsafe state.pointee.count -= 1
        return true
    }
}
