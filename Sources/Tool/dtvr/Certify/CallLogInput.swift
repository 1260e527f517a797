import Glibc
import HLSInput
import PlayerCertification
import PlayerSession

/// Splits an input that arrives in chunks into lines.
protocol CallLineReader: Sendable {
    /// Parses the next bytes, and calls `visit` with each line that ends in them.
    mutating func read(_ bytes: [UInt8], _ visit: (CallLogLine) -> Void)

    /// Parses the rest of the input.
    mutating func finish(_ visit: (CallLogLine) -> Void)
}

extension CallLogReader: CallLineReader {}
extension CertificationReader: CallLineReader {}

/// Reads a log of calls that a command names.
struct CallLogInput {
    let context: CommandContext

    /// Whether the command should read on.
    private var continues: Bool { !Task.isCancelled && !context.console.isOutputClosed }

    /// Reads a log, and calls `visit` for each line; returns false if the log cannot be read to its end.
    ///
    /// - Parameters:
    ///   - name: a path, or `-` for standard input.
    ///   - start: a reader at the start of the log.
    func read(
        _ name: String, with start: some CallLineReader, _ visit: (CallLogLine) async -> Void
    ) async -> Bool {
        let file: InputFile
        do throws(InputError) {
            file =
                name == "-"
                ? try InputFile(lent: STDIN_FILENO, name: "standard input") : try InputFile(named: name)
        } catch {
            context.console.note(error.message)
            return false
        }
        var reader = start
        var bytes = [UInt8](repeating: 0, count: InputFile.pieceByteCount)
        var (isAtEnd, isCut) = (false, false)
        var lines: [CallLogLine] = []
        while !isAtEnd, continues {
            lines.removeAll(keepingCapacity: true)
            do throws(InputError) {
                let count = try file.read(into: &bytes)
                isAtEnd = count == 0
                if !isAtEnd { reader.read(Array(bytes[..<count])) { lines.append($0) } }
            } catch {
                if !Task.isCancelled { context.console.note(error.message) }
                (isAtEnd, isCut) = (true, true)
            }
            if isAtEnd { reader.finish { lines.append($0) } }
            for line in lines where continues { await visit(line) }
        }
        return !isCut
    }
}
