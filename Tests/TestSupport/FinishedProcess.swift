public import Foundation
import Glibc

/// What a program that ran to its end left behind.
public struct FinishedProcess: Sendable {
    /// Its exit status; 128 and more where a signal ended it.
    public let status: Int32
    /// What it wrote to standard output.
    public let output: Data
    /// What it wrote to standard error.
    public let errors: Data

    /// Runs a program to its end.
    ///
    /// Its streams are files: a program never waits for somebody to read a pipe.
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

    /// A file without a name, which is gone when it is closed.
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
