internal import CDTVRMalloc

/// The memory that the process takes from the system.
package enum HostMemory {
    /// Has all threads allocate from two arenas: with one for each thread, a process of many threads keeps as many times what
    /// only one of them needs at a time.
    ///
    /// To be called before the threads are started; a thousand live channels take a tenth less.
    package static func useFewArenas() { _ = mallopt(M_ARENA_MAX, 2) }
}
