public import Foundation
import Glibc

/// The exit status and output of a program.
public struct FinishedProcess: Sendable {
    /// The exit status; 128 plus the number of the signal if a signal ended the program.
    public let status: Int32
    /// The standard output.
    public let output: Data
    /// The standard error.
    public let errors: Data

    /// Runs a program to its end.
    ///
    /// Its streams are files, so it never blocks on a full pipe.
    public static func of(
        _ program: String, _ arguments: [String], input: Data = Data(), environment: [String: String]? = nil
    ) async throws -> FinishedProcess {
        let (source, output, errors) = (try scratchFile(), try scratchFile(), try scratchFile())
        try source.write(contentsOf: input)
        try source.seek(toOffset: 0)
        let process = try ChildProcess(
            program, arguments, environment: environment, input: source.fileDescriptor,
            output: output.fileDescriptor, errors: errors.fileDescriptor)
        let status = await process.exitStatus()
        return FinishedProcess(
            status: status, output: try contents(output), errors: try contents(errors))
    }

    /// Creates a file without a name, which is deleted when it is closed.
    private static func scratchFile() throws -> FileHandle {
        let folder = FileManager.default.temporaryDirectory.path
        let descriptor = unsafe open(folder, O_RDWR | O_CLOEXEC | __O_TMPFILE | O_DIRECTORY, 0o600)
        guard descriptor >= 0 else { throw ChildProcess.NotStarted(program: folder, code: errno) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func contents(_ file: FileHandle) throws -> Data {
        try file.seek(toOffset: 0)
        return try file.readToEnd() ?? Data()
    }
}
