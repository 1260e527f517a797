import Foundation
import Glibc
import TestSupport
import Testing

@testable import dtvr

/// Messages to a standard error whose reader is stalled.
@Suite(.timeLimit(.minutes(30))) struct NoteWriterTests {
    /// Returns a pipe that has room for one page, and is full if `isFull`.
    private static func pipe(isFull: Bool) -> Pipe {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        // Swift does not import the constant.
        let setPipeSize: Int32 = 1031
        #expect(fcntl(descriptor, setPipeSize, 4_096) == 4_096)
        if isFull { pipe.fileHandleForWriting.write(Data(repeating: 0x2E, count: 4_096)) }
        return pipe
    }

    @Test func messages_toAStalledReader_areDroppedAndCounted() throws {
        let pipe = Self.pipe(isFull: true)
        var writer = NoteWriter(pipe.fileHandleForWriting.fileDescriptor)
        writer.patience = 0
        for text in ["one\n", "two\n"] { writer.write(text) }
        writer.decorate("50 %")
        #expect(pipe.fileHandleForReading.availableData.count == 4_096)
        writer.write("three\n")
        // The count fills the only page, so the message itself waits for its reader.
        let count = pipe.fileHandleForReading.availableData
        #expect(
            String(decoding: count, as: UTF8.self)
                == "dtvr: standard error stalled; messages dropped: 2\n")
        writer.write("four\n")
        let next = pipe.fileHandleForReading.availableData
        #expect(String(decoding: next, as: UTF8.self).contains("dropped: 1\n"))
    }

    @Test(arguments: [false, true])
    func monitor_withStalledErrors_startsAndEndsAsUsual(isFull: Bool) async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "1")
        let pipe = Self.pipe(isFull: isFull)
        let output = try folder.write("output", [])
        let outputFile = try #require(FileHandle(forWritingAtPath: output))
        let gone = (0..<40).map { "http://127.0.0.1:9/a-channel-that-is-gone-\($0).m3u8" }
        let monitor = try Tool.start(
            arguments: ["monitor", "--store", folder.path + "/store", "--format", "jsonl"] + station.urls
                + gone,
            home: folder.path, output: outputFile,
            errors: pipe.fileHandleForWriting)
        defer { monitor.killAndWait() }
        try await wait(for: "a tag") {
            String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
                .contains(#""type":"tag""#)
        }
        monitor.signal(SIGTERM)
        #expect(try await monitor.exitStatus(within: .seconds(60)) == 0)
        withExtendedLifetime(pipe) {}
    }
}
