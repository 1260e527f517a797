import Glibc
import HostSystem

/// Writes messages to standard error.
///
/// A service does not wait for a stalled reader: the first message that does not fit waits for a second, and later ones
/// are dropped until there is room again. The number of dropped messages then precedes the next one. Other commands
/// wait, as a pager needs it.
struct NoteWriter {
    private let descriptor: Int32
    /// The time that a message waits for a stalled reader, in milliseconds; negative for no limit.
    var patience: Int32 = -1
    private var isStalled = false
    private var droppedCount = 0
    /// The width of the progress bar, in columns.
    var progressWidth = 0

    /// Creates a writer to a descriptor that remains open.
    init(_ descriptor: Int32 = STDERR_FILENO) { self.descriptor = descriptor }

    /// Writes a message, or counts it as dropped.
    mutating func write(_ message: String) {
        if droppedCount > 0 {
            guard writePieces(of: "dtvr: standard error stalled; messages dropped: \(droppedCount)\n") else {
                droppedCount += 1
                return
            }
            droppedCount = 0
        }
        if !writePieces(of: message) { droppedCount += 1 }
    }

    /// Writes decoration, such as a progress bar, which is not counted.
    mutating func decorate(_ text: String) { _ = writePieces(of: text) }

    /// Returns whether the whole text was written; also true if standard error is closed.
    private mutating func writePieces(of text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            guard hasRoom() else { return false }
            let piece = Array(rest.prefix(Int(PIPE_BUF)))
            rest = rest.dropFirst(piece.count)
            do throws(SystemError) {
                try FileDescriptor(lent: descriptor, name: "standard error").write(piece.span)
            } catch {
                // There is no other place to report this error.
                return true
            }
        }
        return true
    }

    /// Returns whether a piece can be written without blocking.
    ///
    /// A pipe is ready if it has room for `PIPE_BUF` bytes (POSIX, write). The descriptor is not made non-blocking,
    /// because other processes may share it.
    private mutating func hasRoom() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var count: Int32
        // One entry, which stays alive during the call.
        repeat {
            count = unsafe poll(&entry, 1, isStalled ? 0 : patience)
        } while count < 0 && errno == EINTR
        isStalled = count == 0
        return !isStalled
    }
}
