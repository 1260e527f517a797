import Glibc

/// Why output could not be written, as the system says it.
struct OutputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    let code: Int32

    /// Whether the reader of a pipe has gone, as `head` does once it has its lines: the end of the output, and no
    /// failure.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String {
        // The text belongs to the C library and is copied at once.
        unsafe String(cString: strerror(code))
    }
}
