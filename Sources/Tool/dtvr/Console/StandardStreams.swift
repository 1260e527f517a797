import Glibc

/// The three standard streams as the tool finds them.
enum StandardStreams {
    /// Makes sure that no file of ours takes the number of a standard stream, and that writing fails with an error
    /// instead of a signal.
    ///
    /// A stream that the caller closed is opened the wrong way round, so that using it stays an error: without this,
    /// `dtvr run >&-` would print into the buffer's database, which took the free number.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest free number is the one that was just found free.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
        signal(SIGPIPE, SIG_IGN)
        // A file beyond the limit of `ulimit -f` is an error like that of a full disk.
        signal(SIGXFSZ, SIG_IGN)
    }
}
