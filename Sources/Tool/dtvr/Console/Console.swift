import Glibc
import HostSystem
import Synchronization
import TextForms

/// The tool's output: results to standard output, everything else to standard error.
///
/// Results are collected and written in large pieces. A line on standard error replaces a progress bar that is shown
/// there. Once standard output cannot be written, nothing more is; the tool reports that when the command ends.
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
    /// How many columns of standard error the progress bar takes; not part of the output, so that a note waits for no reader.
    private let progressWidth = Mutex(0)

    /// Whether standard error is a terminal, where a progress bar helps.
    let showsProgress: Bool

    /// Whether results may be colored.
    let colorsOutput: Bool

    /// How many columns the terminal has that standard output is; nil where it is something else.
    let width: Int?

    init(color: String = "auto", environment: [String: String]) {
        showsProgress = isatty(STDERR_FILENO) == 1
        width = TerminalSize.width(environment: environment)
        colorsOutput =
            switch color {
            case "always": true
            case "never": false
            default: isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            }
    }

    /// Whether nobody gets what is printed any more: the reader has gone, or writing failed.
    var isOutputClosed: Bool { output.withLock { $0.end != nil } }

    /// Why results could not be written; nil where they could, and where their reader had enough.
    var outputFailure: SystemError? {
        output.withLock { $0.end.flatMap { $0.isClosedPipe ? nil : $0 } }
    }

    /// A heading, in bold where colors are wanted.
    func bold(_ text: String) -> String { colorsOutput ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    /// Something that needs attention, in yellow where colors are wanted.
    func warning(_ text: String) -> String { colorsOutput ? "\u{1B}[33m\(text)\u{1B}[0m" : text }

    /// Writes a result and a line end.
    func print(_ line: String) { print(bytes: Array(line.utf8) + [0x0A]) }

    /// Writes the bytes of results.
    func print(bytes: [UInt8]) {
        output.withLock { output in
            output.waiting.append(contentsOf: bytes)
            if output.waiting.count >= Self.pieceLength { Self.flush(&output) }
        }
    }

    /// Writes what was collected: before the process ends, and whenever somebody waits for it.
    func flush() {
        if isOutputAbandoned { return }
        output.withLock { Self.flush(&$0) }
    }

    /// Says that nobody waits any more until results are written: their reader takes nothing.
    func abandonOutput() { abandoned.store(true, ordering: .relaxed) }

    /// Whether the last results wait for a reader who takes nothing.
    var isOutputAbandoned: Bool { abandoned.load(ordering: .relaxed) }

    /// Writes a line to standard error; what a stream put into it cannot steer a terminal, nor fill it.
    func note(_ line: String) {
        noteLines("dtvr: \(WrappedText.shortened(PrintableText.of(line), to: Self.longestNote))")
    }

    private static let longestNote = 2_000

    /// Writes lines to standard error as they are.
    func noteLines(_ lines: String) {
        let text = "\(lines)\n"
        if let notes = notes.withLock({ $0 }) { return notes.print(Array(text.utf8)) }
        writeNotes(text)
    }

    private func writeNotes(_ text: String) {
        if areNotesAbandoned.load(ordering: .relaxed) { return }
        progressWidth.withLock { width in
            Self.clearProgress(&width)
            // On a terminal, a note comes after the results that were printed before it.
            if isatty(STDOUT_FILENO) == 1 { flush() }
            Self.writeToStandardError(text)
        }
    }

    /// Has notes written by a thread of their own from now on: whoever notes something waits for nobody.
    func detachNotes() {
        let output = LiveOutput { [self] bytes in
            writeNotes(String(decoding: bytes, as: UTF8.self))
        } note: { [self] text in
            writeNotes("dtvr: \(text)\n")
        }
        notes.withLock { $0 = output }
    }

    /// Waits at most so many seconds until the notes are written, and has each written at once again.
    func attachNotes(within seconds: Double) {
        guard let output = notes.withLock({ $0 }) else { return }
        if !output.finish(within: seconds) { areNotesAbandoned.store(true, ordering: .relaxed) }
        notes.withLock { $0 = nil }
    }

    /// Shows how far the work has come, where standard error is a terminal.
    func progress(_ line: String) {
        guard showsProgress else { return }
        progressWidth.withLock { width in
            let padding = String(repeating: " ", count: max(0, width - line.count))
            Self.writeToStandardError("\r\(line)\(padding)")
            width = line.count
        }
    }

    /// Removes the progress bar.
    func endProgress() { progressWidth.withLock { Self.clearProgress(&$0) } }

    private static func clearProgress(_ width: inout Int) {
        guard width > 0 else { return }
        writeToStandardError("\r\(String(repeating: " ", count: width))\r")
        width = 0
    }

    private static func flush(_ output: inout Output) {
        if output.end == nil {
            do throws(SystemError) {
                try FileDescriptor(lent: STDOUT_FILENO, name: "standard output").write(output.waiting.span)
            } catch {
                output.end = error
            }
        }
        output.waiting.removeAll(keepingCapacity: true)
    }

    private static func writeToStandardError(_ text: String) {
        do throws(SystemError) {
            try FileDescriptor(lent: STDERR_FILENO, name: "standard error").write(Array(text.utf8).span)
        } catch {
            // There is nowhere left to say so.
        }
    }
}
