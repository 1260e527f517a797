import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import dtvr

/// The output of a monitor whose reader reads nothing.
@Suite(.timeLimit(.minutes(30))) struct LiveOutputTests {
    @Test func lines_toAStalledReader_waitInOrder_andDroppedLinesAreCounted() async throws {
        let isTaken = DispatchSemaphore(value: 0)
        let written = Mutex("")
        let notes = Mutex<[String]>([])
        let isBegun = Mutex(false)
        let output = LiveOutput(capacity: 8) { bytes in
            isBegun.withLock { $0 = true }
            isTaken.wait()
            written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        } note: { note in
            notes.withLock { $0.append(note) }
        }
        #expect(output.isIdle)
        output.print(Array("one.".utf8))
        // The first text is being written: it no longer counts as waiting, so there is space for eight bytes.
        try await wait(for: "the first") { isBegun.withLock { $0 } }
        #expect(!output.finish(within: 0.1))
        #expect(!output.isIdle)
        for text in ["two.", "3.4.", "five.", "6"] { output.print(Array(text.utf8)) }
        #expect(written.withLock { $0 } == "")
        for _ in 0..<8 { isTaken.signal() }
        #expect(output.finish(within: 60))
        #expect(output.isIdle)
        #expect(written.withLock { $0 } == "one.two.3.4.")
        #expect(notes.withLock { $0 } == ["output stalled; lines dropped: 2"])
        output.print(Array("seven.".utf8))
        #expect(output.finish(within: 60))
        #expect(written.withLock { $0 } == "one.two.3.4.seven.")
    }

    @Test(arguments: [["--format", "jsonl"], []])
    func monitor_withStalledOutput_followsItsChannels_andEndsWhenStopped(arguments: [String])
        async throws
    {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "40")
        let pipe = Pipe()
        // Space for only a few lines; Swift does not import the constant.
        let setPipeSize: Int32 = 1031
        #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, setPipeSize, 4_096) == 4_096)
        // The text of the changes alone is longer than that.
        let gone = (0..<40).map { "http://127.0.0.1:9/a-channel-that-is-gone-\($0).m3u8" }
        let monitor = try RunningMonitor(
            arguments + ["--listen", "127.0.0.1:0"] + station.urls + gone, in: folder,
            output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        try await wait(for: "the address") { !monitor.url.isEmpty }
        try await wait(for: "healthy channels") {
            let text = try await monitor.answer(to: "metrics").text
            return text.split(separator: "\n").count {
                $0.hasPrefix("dtvr_channel_state") && $0.hasSuffix("state=\"healthy\"} 1")
            } == 40
        }
        monitor.process.signal(SIGTERM)
        #expect(try await monitor.process.exitStatus(within: .seconds(120)) == 6)
        #expect(monitor.errors.contains("standard output is stalled"))
        // The part of the output that fitted into the pipe.
        #expect(try #require(try pipe.fileHandleForReading.readToEnd()).isEmpty == false)
        let status = try await Tool.run("store", "status", "--store", folder.path + "/store")
        #expect(status.output.contains("accepted   ") && !status.output.contains("accepted   0\n"))
    }
}
