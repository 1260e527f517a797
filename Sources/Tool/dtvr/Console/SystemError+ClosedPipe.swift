import Glibc
import HostSystem

extension SystemError {
    /// Whether the reader of a pipe has gone, as `head` does once it has its lines: the end of the output, and no
    /// failure.
    var isClosedPipe: Bool { code == EPIPE }
}
