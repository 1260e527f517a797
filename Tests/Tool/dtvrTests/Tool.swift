import Foundation
import TestSupport
import Testing

@testable import dtvr

extension CommandDeclaration: CustomTestStringConvertible {
    /// The name of the command, for the results of a test.
    public var testDescription: String { name }
}

/// The built tool, run as a user runs it.
struct Tool {
    /// The results of a run.
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String

        var outputLines: [Substring] { output.split(separator: "\n") }
    }

    static let path = Project.tool

    static let packageRoot = Project.root

    static let demo = packageRoot + "/media/demo"

    /// Runs the tool to its end, without any of the user's settings.
    static func run(
        _ arguments: String..., input: Data = Data(), environment: [String: String] = [:]
    ) async throws -> Result {
        try await run(arguments: arguments, input: input, environment: environment)
    }

    /// Runs the tool with a list of arguments.
    static func run(
        arguments: [String], input: Data = Data(), environment: [String: String] = [:]
    ) async throws -> Result {
        let folder = try TemporaryFolder()
        let finished = try await FinishedProcess.of(
            path, arguments, input: input, environment: self.environment(home: folder.path, environment))
        return Result(
            status: finished.status,
            output: String(decoding: finished.output, as: UTF8.self),
            errors: String(decoding: finished.errors, as: UTF8.self))
    }

    /// Starts the tool without waiting for its end.
    static func start(
        _ path: String = path, arguments: [String], home: String, environment: [String: String] = [:],
        input: FileHandle? = nil, output: FileHandle? = nil, errors: FileHandle? = nil
    ) throws -> ChildProcess {
        // Foundation's null device has no descriptor that can be passed to a program.
        let null = try #require(FileHandle(forUpdatingAtPath: "/dev/null"))
        defer { withExtendedLifetime(null) {} }
        return try ChildProcess(
            path, arguments, environment: self.environment(home: home, environment),
            input: (input ?? null).fileDescriptor, output: (output ?? null).fileDescriptor,
            errors: (errors ?? null).fileDescriptor)
    }

    /// Returns the environment of a program that runs the tool, without the user's variables.
    static func environment(home: String, _ more: [String: String] = [:]) -> [String: String] {
        // With this variable, Scripts/mutants.py selects the change of the tool.
        let mutant = ProcessInfo.processInfo.environment["DTVR_MUTANT"].map { ["DTVR_MUTANT": $0] } ?? [:]
        return ["HOME": home, "PATH": "/usr/bin:/bin"].merging(mutant) { $1 }.merging(more) { $1 }
    }
}
