import Glibc

/// The preparation of the three standard streams.
enum StandardStreams {
    /// Reserves the descriptors of closed standard streams, and turns write signals into errors.
    ///
    /// A closed stream is reopened in the wrong direction, so that using it still fails. Otherwise `dtvr run >&-` would
    /// print into the buffer's database, which would get the free descriptor.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` returns the lowest free descriptor, which is this one.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
        signal(SIGPIPE, SIG_IGN)
        // Exceeding `ulimit -f` then fails like a full disk.
        signal(SIGXFSZ, SIG_IGN)
    }
}
