// Its header declares `timespec` too, and the compiler takes either module for the one that defines it.
import CDTVRClock
import Glibc

/// A counting semaphore for threads.
///
/// It uses a condition variable with CLOCK_MONOTONIC. `sem_timedwait` uses the wall clock, which may be set, and a
/// signal handler interrupts `sem_wait`. All waiting threads are woken, because in some releases of glibc
/// `pthread_cond_signal` may wake none of several (https://sourceware.org/bugzilla/show_bug.cgi?id=25847).
@safe package final class Semaphore: Sendable {
    @unsafe private struct State {
        var mutex = unsafe pthread_mutex_t()
        var condition = pthread_cond_t()
        var count = 0
    }

    // Sendable despite the pointer: it is set once, and its content is accessed only with the mutex locked.
    private nonisolated(unsafe) let state: UnsafeMutablePointer<State>

    /// Creates a semaphore with a count of 0.
    package init() {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: State())
        var attributes = pthread_condattr_t()
        // The memory stays at its address until `deinit`, for this and all calls below.
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_mutex_init(&state.pointee.mutex, nil)
        unsafe pthread_cond_init(&state.pointee.condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        // No thread can be waiting, because a waiting thread holds a reference.
        unsafe pthread_cond_destroy(&state.pointee.condition)
        unsafe pthread_mutex_destroy(&state.pointee.mutex)
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Increments the count, which lets one waiting thread continue.
    package func signal() {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        unsafe state.pointee.count += 1
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
        // After unlocking, so that the threads that wake up do not wait for the mutex at once.
        unsafe pthread_cond_broadcast(&state.pointee.condition)
    }

    /// Blocks until the count is positive, then decrements it; signal handlers do not interrupt the wait.
    package func wait() {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        while unsafe state.pointee.count == 0 {
            unsafe pthread_cond_wait(&state.pointee.condition, &state.pointee.mutex)
        }
        unsafe state.pointee.count -= 1
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    /// Waits like `wait()`, but at most for a duration of the monotonic clock; returns false after a timeout.
    package func wait(atMost limit: Duration) -> Bool {
        var end = timespec()
        // Writes only to its argument; the clock exists on all Linux versions.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        // A limit of one year is practically infinite and prevents overflow.
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
