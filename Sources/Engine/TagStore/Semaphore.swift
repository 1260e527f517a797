import Glibc

/// A count that threads wait for.
@safe final class Semaphore: Sendable {
    // Sendable although a pointer: written once, and a semaphore is made to be used by several threads.
    private nonisolated(unsafe) let handle: UnsafeMutablePointer<sem_t>

    init() {
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
    func signal() {
        unsafe sem_post(handle)
    }

    /// Waits, blocked; an interrupted wait ends too early.
    func wait() {
        unsafe sem_wait(handle)
    }
}
