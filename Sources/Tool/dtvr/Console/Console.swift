import Foundation
import Synchronization

/// The tool's way out: results to standard output, everything else to standard error.
///
/// Results are gathered and written in large pieces. A line on standard error takes the place of a progress bar
/// that stands there. When the reader of standard output goes away, `isOutputClosed` says so and nothing more is
/// written, so that `dtvr scan … | head` ends quietly.
final class Console: Sendable {
    private struct State {
        var output: [UInt8] = []
        var isOutputClosed = false
        var progressWidth = 0
    }

    private static let pieceLength = 1 << 16

    private let state = Mutex(State())

    /// Whether standard error is a terminal, where a progress bar helps.
    let showsProgress: Bool

    /// Whether results may be coloured.
    let colorsOutput: Bool

    init(color: String, environment: [String: String]) {
        showsProgress = isatty(STDERR_FILENO) == 1
        colorsOutput =
            switch color {
            case "always": true
            case "never": false
            default: isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            }
    }

    var isOutputClosed: Bool { state.withLock { $0.isOutputClosed } }

    /// A heading, where colours are wanted.
    func bold(_ text: String) -> String { colorsOutput ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    /// Something that is not as it should be, where colours are wanted.
    func warning(_ text: String) -> String { colorsOutput ? "\u{1B}[33m\(text)\u{1B}[0m" : text }

    /// Writes a result and a line end.
    func print(_ line: String) { print(bytes: Array(line.utf8) + [0x0A]) }

    /// Writes the bytes of results.
    func print(bytes: [UInt8]) {
        state.withLock { state in
            state.output.append(contentsOf: bytes)
            if state.output.count >= Self.pieceLength { Self.flush(&state) }
        }
    }

    /// Writes what is gathered; the last thing before the process ends, and whenever a reader waits for it.
    func flush() { state.withLock { Self.flush(&$0) } }

    /// Writes a line to standard error.
    func note(_ line: String) {
        state.withLock { state in
            Self.clearProgress(&state)
            // A note belongs behind the results that went before it.
            if isatty(STDOUT_FILENO) == 1 { Self.flush(&state) }
            _ = Self.write(Array("dtvr: \(line)\n".utf8), to: STDERR_FILENO)
        }
    }

    /// Shows how far the work has come, where standard error is a terminal.
    func progress(_ line: String) {
        guard showsProgress else { return }
        state.withLock { state in
            let padding = String(repeating: " ", count: max(0, state.progressWidth - line.count))
            _ = Self.write(Array("\r\(line)\(padding)".utf8), to: STDERR_FILENO)
            state.progressWidth = line.count
        }
    }

    /// Takes the progress bar away.
    func endProgress() { state.withLock { Self.clearProgress(&$0) } }

    private static func clearProgress(_ state: inout State) {
        guard state.progressWidth > 0 else { return }
        _ = write(Array("\r\(String(repeating: " ", count: state.progressWidth))\r".utf8), to: STDERR_FILENO)
        state.progressWidth = 0
    }

    private static func flush(_ state: inout State) {
        if !state.isOutputClosed, !write(state.output, to: STDOUT_FILENO) { state.isOutputClosed = true }
        state.output.removeAll(keepingCapacity: true)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                // The rest of the buffer is readable while the closure runs.
                let count = unsafe Foundation.write(
                    descriptor, buffer.baseAddress! + written, buffer.count - written)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return false }
                written += count
            }
            return true
        }
    }
}
