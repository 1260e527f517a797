import HostSystem

/// The destination of results: standard output, or the file that `--output` or `--resume` names.
struct ResultOutput: ~Copyable {
    private let console: Console
    private let path: String?
    private var file: OutputFile?
    private var resumed: ResumedFile?
    private var failure: SystemError?
    private var isRefused = false

    /// Whether results may be colored; never in a file.
    var isColored: Bool { path == nil && console.colorsOutput }

    /// The width of the terminal that shows the results; nil without a terminal.
    var width: Int? { path == nil ? console.width : nil }

    /// Whether no more results can be written.
    var isClosed: Bool { path == nil ? console.isOutputClosed : failure != nil }

    /// Whether the file could be opened; the error has already been printed if not.
    var isUsable: Bool { failure == nil && !isRefused }

    /// Opens the output of a command.
    ///
    /// - Parameter content: The content of the file of `--resume`.
    init(_ context: CommandContext, content: ResumedFile.Content = .verdicts) {
        console = context.console
        path = context.invocation[.resume] ?? context.invocation[.output]
        guard let path else { return }
        if context.invocation[.resume] != nil {
            do throws(ResumeError) {
                resumed = try ResumedFile(path: path, content: content)
            } catch {
                isRefused = true
                console.note("\(path): \(error)")
            }
            return
        }
        do throws(SystemError) {
            file = try OutputFile(path: path)
        } catch {
            failure = error
            report(error)
        }
    }

    /// Returns whether the file of `--resume` has the lines of an input.
    func isFinished(_ input: String) -> Bool { resumed?.contains(input) ?? false }

    /// Writes a line or several lines of an input, and flushes them, or does nothing after a failure.
    mutating func writeLine(_ line: [UInt8], of input: String) {
        guard resumed != nil, failure == nil else {
            write(line)
            if path == nil { console.flush() }
            return
        }
        do throws(SystemError) {
            try resumed?.append(line, of: input)
        } catch {
            failure = error
            report(error)
        }
    }

    /// Writes the next part of the results, or does nothing after a failure.
    mutating func write(_ bytes: [UInt8]) {
        guard path != nil else { return console.print(bytes: bytes) }
        guard failure == nil else { return }
        do throws(SystemError) {
            try file?.write(bytes)
        } catch {
            failure = error
            report(error)
        }
    }

    /// Writes rows of CSV.
    mutating func write(csv rows: [UInt8]) {
        guard path == nil else { return write(rows) }
        console.print(csv: rows)
    }

    /// Finishes the output and returns `status`, or the status of lost output after a failure.
    mutating func finish(_ status: ExitStatus) -> ExitStatus {
        // Standard output is flushed, and its failure reported, when the command has ended.
        guard path != nil else { return status }
        if failure == nil {
            do throws(SystemError) {
                try file?.finish()
                try resumed?.finish()
            } catch {
                failure = error
                report(error)
            }
        }
        guard let failure, !failure.isClosedPipe else { return status }
        return status.withLostOutput
    }

    private func report(_ error: SystemError) {
        if let path, !error.isClosedPipe, !Interruption.shared.isRequested {
            console.note("\(path): cannot be written: \(error.reason)")
        }
    }
}
