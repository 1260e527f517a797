import Glibc
import HostSystem

extension SystemError {
    /// Whether the reader closed the pipe, as `head` does after its last line; this ends the output but is not a
    /// failure.
    var isClosedPipe: Bool { code == EPIPE }
}
