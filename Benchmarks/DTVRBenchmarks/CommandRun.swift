import CCommandRun
import Foundation

/// The duration and peak memory of a command.
struct CommandRun {
    /// A failure of a command.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The seconds from its start to its end.
    let seconds: Double
    /// The peak resident memory of the command, in megabytes.
    let peakMegabytes: Double
    /// Whether the peak is only an upper bound, because it includes the peak of this process.
    let isPeakABound: Bool

    /// Runs a command to its end on these cores, and discards its output unless a file is given.
    @discardableResult
    init(_ command: [String], cores: String = "0", output: FileHandle? = nil) throws {
        // Pins all commands to the same cores; most peers cannot use a second one.
        let arguments = ["taskset", "-c", cores] + command
        let text = arguments.map { $0 + "\0" }.joined()
        var result = dtvr_command_result()
        // The text holds `arguments.count` strings, each with a NUL, and stays alive during the call.
        let error = unsafe dtvr_command_run(text, arguments.count, output?.fileDescriptor ?? -1, &result)
        let name = "\(command.prefix(3).joined(separator: " ")) …"
        guard error == 0 else { throw Failure(description: "\(name) cannot be run: error \(error)") }
        guard result.status == 0 else { throw Failure(description: "\(name) exited with \(result.status)") }
        seconds = result.seconds
        peakMegabytes = Double(result.peak) * 1_024 / 1e6
        isPeakABound = result.peak <= result.floor
    }

    /// The peak memory as text.
    var peakText: String {
        (isPeakABound ? "at most " : "") + String(format: "%.1f MB", peakMegabytes)
    }

    /// Returns the path of a program, or nil if it is not installed.
    static func installed(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
