/// Where results go: standard output, or the file that `--output` names.
struct ResultOutput: ~Copyable {
    private let console: Console
    private let path: String?
    private var file: OutputFile?
    private var failure: OutputError?

    /// Whether results may be colored: those in a file may not.
    var isColored: Bool { path == nil && console.colorsOutput }

    /// How wide the terminal is that shows the results; nil for none.
    var width: Int? { path == nil ? console.width : nil }

    /// Whether nothing more can be written.
    var isClosed: Bool { path == nil ? console.isOutputClosed : failure != nil }

    /// Whether the file could be opened; the user has been told why where it could not.
    var isUsable: Bool { failure == nil }

    /// Opens the output of a command.
    init(_ context: CommandContext) {
        console = context.console
        path = context.invocation[.output]
        guard let path else { return }
        do throws(OutputError) {
            file = try OutputFile(path: path)
        } catch {
            failure = error
            report(error)
        }
    }

    /// Writes the next part of the results; after a failure, nothing.
    mutating func write(_ bytes: [UInt8]) {
        guard path != nil else { return console.print(bytes: bytes) }
        guard failure == nil else { return }
        do throws(OutputError) {
            try file?.write(bytes)
        } catch {
            failure = error
            report(error)
        }
    }

    /// Ends the results; the status is `status` where all of them were written.
    mutating func finish(_ status: ExitStatus) -> ExitStatus {
        // Standard output is flushed, and its failure reported, when the command has ended.
        guard path != nil else { return status }
        if failure == nil {
            do throws(OutputError) {
                try file?.finish()
            } catch {
                failure = error
                report(error)
            }
        }
        guard let failure, !failure.isClosedPipe else { return status }
        return status.withLostOutput
    }

    private func report(_ error: OutputError) {
        if let path, !error.isClosedPipe, !Interruption.shared.isRequested {
            console.note("\(path): cannot be written: \(error)")
        }
    }
}
