import CCommandRun
import Foundation

/// What running a whole command came to: its time, and the most memory that it had.
struct CommandRun {
    /// What a command could not do.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The seconds from its start to its end.
    let seconds: Double
    /// The most memory that the command had resident, in megabytes.
    let peakMegabytes: Double
    /// Whether that is only a bound, because this process had as much before: the kernel counts it in.
    let isPeakABound: Bool

    /// Runs a command to its end on these cores, its output thrown away unless a file is given.
    @discardableResult
    init(_ command: [String], cores: String = "0", output: FileHandle? = nil) throws {
        // The same cores for every command: most peers have no use for a second one.
        let arguments = ["taskset", "-c", cores] + command
        let text = arguments.map { $0 + "\0" }.joined()
        var result = dtvr_command_result()
        // The text holds as many strings with their NULs as are announced, and lives through the call.
        let error = unsafe dtvr_command_run(text, arguments.count, output?.fileDescriptor ?? -1, &result)
        let name = "\(command.prefix(3).joined(separator: " ")) …"
        guard error == 0 else { throw Failure(description: "\(name) cannot be run: error \(error)") }
        guard result.status == 0 else { throw Failure(description: "\(name) ended with \(result.status)") }
        seconds = result.seconds
        peakMegabytes = Double(result.peak) * 1_024 / 1e6
        isPeakABound = result.peak <= result.floor
    }

    /// The most memory, for a person.
    var peakText: String {
        (isPeakABound ? "at most " : "") + String(format: "%.1f MB", peakMegabytes)
    }

    /// The path of a program, where it is installed.
    static func installed(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
