import Foundation

/// Where a report goes: standard output, or a file that has its name only once it is whole.
struct ReportOutput {
    private let console: Console
    private let path: String?
    private var file: ExportFile?

    /// Whether the report may be coloured: a file may not.
    var isColored: Bool { path == nil && console.colorsOutput }

    /// The output that the user named.
    init(_ context: CommandContext) throws(UsageError) {
        console = context.console
        path = context.invocation[.output]
        guard let path else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw context.usageError("--output: '\(path)' cannot be written")
        }
    }

    /// Writes a part of the report, which begins with the first.
    mutating func write(_ bytes: [UInt8]) {
        guard let path else {
            console.print(bytes: bytes)
            return
        }
        if file == nil { file = ExportFile(path: path) }
        file?.write(bytes)
    }

    /// Ends the report; returns what went wrong, or nil.
    mutating func finish() -> String? {
        guard let path, let failure = file?.finish() else { return nil }
        return "\(path): \(failure)"
    }
}
