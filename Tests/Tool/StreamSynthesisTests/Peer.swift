import Foundation
import TestSupport
import Testing

/// A program that reads what we wrote; a machine may be without it.
struct Peer {
    let program: String

    static let python = Peer(program: "python3")
    static let ffprobe = Peer(program: "ffprobe")
    static let ffmpeg = Peer(program: "ffmpeg")
    /// Debian's Python, whose mutagen another Python does not see.
    static let mutagen = Peer(program: "/usr/bin/python3", needs: "/usr/lib/python3/dist-packages/mutagen")

    /// Where something lies that the program needs; nil for nothing.
    private let needs: String?

    private init(program: String, needs: String? = nil) {
        self.program = program
        self.needs = needs
    }

    /// Where it is installed; nil where it is not.
    private var path: String? {
        if let needs, !FileManager.default.fileExists(atPath: needs) { return nil }
        if program.hasPrefix("/") { return program }
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return places.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// Leaves a test out where it is not installed.
    var isInstalled: ConditionTrait { .enabled(if: path != nil, "\(needs ?? program) is not installed") }

    /// What it prints on both outputs.
    func run(_ arguments: [String], input: Data = Data()) async throws -> Data {
        let finished = try await FinishedProcess.of(try #require(path), arguments, input: input)
        let output = finished.output + finished.errors
        #expect(finished.status == 0, "\(program): \(String(decoding: output, as: UTF8.self))")
        return output
    }
}
