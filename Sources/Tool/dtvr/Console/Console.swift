import Glibc
import HostSystem
import Synchronization
import TextForms

/// The tool's output: results go to standard output, everything else to standard error.
///
/// Results are buffered and written in large pieces. A line on standard error replaces a progress bar there. After the
/// first write error, nothing more is written to standard output, and the tool reports the error when the command ends.
final class Console: Sendable {
    private struct Output {
        var waiting: [UInt8] = []
        var end: SystemError?
    }

    private static let pieceLength = 1 << 16

    private let output = Mutex(Output())
    private let abandoned = Atomic(false)
    private let notes = Mutex<LiveOutput?>(nil)
    private let areNotesAbandoned = Atomic(false)
    private let hasTimes = Atomic(false)
    /// The writer to standard error.
    ///
    /// It has a separate lock, so a note never waits for a stalled reader of standard output.
    private let noteWriter = Mutex(NoteWriter())

    /// Whether standard error is a terminal, so that a progress bar makes sense.
    let showsProgress: Bool

    /// Whether results may be colored.
    let colorsOutput: Bool

    /// The width of the terminal on standard output, in columns; nil if standard output is not a terminal.
    let width: Int?

    init(color: String = "auto", environment: [String: String]) {
        // A terminal without control sequences, such as the shell of an editor.
        let isDumb = environment["TERM"] == "dumb"
        showsProgress = isatty(STDERR_FILENO) == 1 && !isDumb
        width = TerminalSize.width(environment: environment)
        colorsOutput =
            switch color {
            case "always": true
            case "never": false
            default: isatty(STDOUT_FILENO) == 1 && !isDumb && environment["NO_COLOR", default: ""].isEmpty
            }
    }

    /// Whether standard output is lost: the reader closed it, or writing failed.
    var isOutputClosed: Bool { output.withLock { $0.end != nil } }

    /// The error that lost results; nil without an error, and if the reader closed the pipe.
    var outputFailure: SystemError? {
        output.withLock { $0.end.flatMap { $0.isClosedPipe ? nil : $0 } }
    }

    /// Returns a heading, in bold if colors are on.
    func bold(_ text: String) -> String { colorsOutput ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    /// Returns a warning, in yellow if colors are on.
    func warning(_ text: String) -> String { colorsOutput ? "\u{1B}[33m\(text)\u{1B}[0m" : text }

    /// Writes a result and a line feed.
    func print(_ line: String) { print(bytes: Array(line.utf8) + [0x0A]) }

    /// Writes the bytes of results.
    func print(bytes: [UInt8]) {
        output.withLock { output in
            output.waiting.append(contentsOf: bytes)
            if output.waiting.count >= Self.pieceLength { flush(&output) }
        }
    }

    /// Writes rows of CSV; on a terminal, without characters that control it.
    func print(csv rows: [UInt8]) {
        guard width != nil else { return print(bytes: rows) }
        for line in rows.split(separator: 0x0A) {
            print(PrintableText.of(String(decoding: line, as: UTF8.self)))
        }
    }

    /// Writes the buffered results: before the process ends, and whenever a reader waits for them.
    func flush() {
        if isOutputAbandoned { return }
        output.withLock { flush(&$0) }
    }

    /// Stops waiting for standard output because its reader is stalled.
    func abandonOutput() { abandoned.store(true, ordering: .relaxed) }

    /// Whether the last results were abandoned because the reader of standard output is stalled.
    var isOutputAbandoned: Bool { abandoned.load(ordering: .relaxed) }

    /// Writes a line to standard error, shortened and without control characters that input data may contain.
    func note(_ line: String) {
        noteLines(noteLine(WrappedText.shortened(PrintableText.of(line), to: Self.longestNote)))
    }

    /// Begins each later note with the time, unless a journal that has times reads standard error.
    func addTimesToNotes(environment: [String: String]) {
        if environment["JOURNAL_STREAM"] == nil { hasTimes.store(true, ordering: .relaxed) }
    }

    private func noteLine(_ text: String) -> String {
        guard hasTimes.load(ordering: .relaxed) else { return "dtvr: \(text)" }
        return "\(RFC3339.tableText(unixSeconds: SystemClock().unixMilliseconds / 1_000)) UTC  dtvr: \(text)"
    }

    private static let longestNote = 2_000
    private static let shortestTitle = 10

    /// Writes lines to standard error verbatim.
    func noteLines(_ lines: String) {
        let text = "\(lines)\n"
        if let notes = notes.withLock({ $0 }) { return notes.print(Array(text.utf8)) }
        writeNotes(text)
    }

    private func writeNotes(_ text: String) {
        if areNotesAbandoned.load(ordering: .relaxed) { return }
        // On a terminal, a note follows the results that were printed before it.
        if isatty(STDOUT_FILENO) == 1 { flush() }
        noteWriter.withLock { writer in
            Self.clearProgress(&writer)
            writer.write(text)
        }
    }

    /// Drops and counts notes from now on while the reader of standard error is stalled, as a service must.
    func limitWaitForNotes() { noteWriter.withLock { $0.patience = 1_000 } }

    /// Moves the writing of notes to a separate thread, so that `note` never blocks.
    func detachNotes() {
        let output = LiveOutput { [self] bytes in
            writeNotes(String(decoding: bytes, as: UTF8.self))
        } note: { [self] text in
            writeNotes("\(noteLine(text))\n")
        }
        notes.withLock { $0 = output }
    }

    /// Waits up to `seconds` for pending notes to be written, and then makes writing synchronous again.
    ///
    /// If they are not written by then, these and all later notes are dropped.
    func attachNotes(within seconds: Double) {
        guard let output = notes.withLock({ $0 }) else { return }
        if !output.finish(within: seconds) { areNotesAbandoned.store(true, ordering: .relaxed) }
        notes.withLock { $0 = nil }
    }

    /// Shows a progress line if standard error is a terminal; the title is shortened to fit.
    func progress(_ title: String, _ state: String) {
        guard showsProgress else { return }
        var line = "\(title) \(state)"
        if let columns = TerminalSize.width(of: STDERR_FILENO) {
            // A line that fills the terminal may wrap.
            let room = max(Self.shortestTitle, columns - 2 - state.count)
            line = String("\(WrappedText.shortened(title, to: room)) \(state)".prefix(columns - 1))
        }
        noteWriter.withLock { writer in
            let padding = String(repeating: " ", count: max(0, writer.progressWidth - line.count))
            writer.decorate("\r\(line)\(padding)")
            writer.progressWidth = line.count
        }
    }

    /// Removes the progress bar.
    func endProgress() { noteWriter.withLock { Self.clearProgress(&$0) } }

    private static func clearProgress(_ writer: inout NoteWriter) {
        guard writer.progressWidth > 0 else { return }
        writer.decorate("\r\(String(repeating: " ", count: writer.progressWidth))\r")
        writer.progressWidth = 0
    }

    private func flush(_ output: inout Output) {
        // Results on the same terminal replace the progress line.
        if !output.waiting.isEmpty, showsProgress, isatty(STDOUT_FILENO) == 1 { endProgress() }
        if output.end == nil {
            do throws(SystemError) {
                try FileDescriptor(lent: STDOUT_FILENO, name: "standard output").write(output.waiting.span)
            } catch {
                output.end = error
            }
        }
        output.waiting.removeAll(keepingCapacity: true)
    }
}

extension SystemError {
    /// Whether the reader closed the pipe, as `head` does after its last line; this ends the output but is not a
    /// failure.
    var isClosedPipe: Bool { code == EPIPE }
}

extension Console {
    /// Reserves the descriptors of closed standard streams, and turns write signals into errors.
    ///
    /// A closed stream is reopened in the wrong direction, so that using it still fails. Otherwise `dtvr run >&-` would
    /// print into the buffer's database, which would get the free descriptor.
    static func prepareStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` returns the lowest free descriptor, which is this one.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
        signal(SIGPIPE, SIG_IGN)
        // Exceeding `ulimit -f` then fails like a full disk.
        signal(SIGXFSZ, SIG_IGN)
    }
}

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
