import Foundation
import TestSupport
import Testing

/// An external program that reads our output; it may not be installed.
struct Peer {
    let program: String

    static let python = Peer(program: "python3")
    static let ffprobe = Peer(program: "ffprobe")
    static let ffmpeg = Peer(program: "ffmpeg")
    /// Debian's Python; the mutagen that it uses is not visible to another Python.
    static let mutagen = Peer(program: "/usr/bin/python3", needs: "/usr/lib/python3/dist-packages/mutagen")

    /// The path of a file that the program needs; nil if it needs none.
    private let needs: String?

    private init(program: String, needs: String? = nil) {
        self.program = program
        self.needs = needs
    }

    /// The path of the program; nil if it is not installed.
    private var path: String? {
        if let needs, !FileManager.default.fileExists(atPath: needs) { return nil }
        if program.hasPrefix("/") { return program }
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return places.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// Disables a test if the program is not installed.
    var isInstalled: ConditionTrait { .enabled(if: path != nil, "\(needs ?? program) is not installed") }

    /// Runs the program and returns its standard output and standard error.
    func run(_ arguments: [String], input: Data = Data()) async throws -> Data {
        let finished = try await FinishedProcess.of(try #require(path), arguments, input: input)
        let output = finished.output + finished.errors
        #expect(finished.status == 0, "\(program): \(String(decoding: output, as: UTF8.self))")
        return output
    }
}
