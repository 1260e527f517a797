import Foundation
import HostSystem
import StreamHealth
import Synchronization
import TestSupport
import Testing

@testable import StreamMonitor

/// The limits on the programs that run for alerts and on the queued alerts.
@Suite(.timeLimit(.minutes(30))) struct AlertCommandTests {
    /// Sends a raised alert of a channel to the command.
    private static func send(_ channel: String, to command: AlertCommand) {
        let change = AlertChange.raised(AlertFolder.alert(channel))
        command.send(
            change, as: AlertMessage(change, at: 1_000_000, evidence: nil, published: .steady(1_000_000)))
    }

    @Test func alerts_whileTheCommandQueueIsFull_areDropped_andReportedOnce() async throws {
        let folder = try AlertFolder()
        let scripts = try TemporaryFolder()
        // Each program records its start, and exits once the file `go` exists.
        let program = try await scripts.script(
            "program",
            """
            echo "$1" >> '\(folder.path)/started'
            while [ ! -e '\(folder.path)/go' ]; do sleep 0.1; done
            """)
        let notes = Mutex<[String]>([])
        let command = AlertCommand(
            path: program, environment: ["PATH": "/usr/bin:/bin"], clock: ManualClock()
        ) { note in notes.withLock { $0.append(note) } }
        for number in 1...106 {
            Self.send("ch\(number)", to: command)
        }
        let started = { @Sendable [path = folder.path] in
            String(decoding: FileManager.default.contents(atPath: path + "/started") ?? Data(), as: UTF8.self)
                .split(separator: "\n")
        }
        // Four run, a hundred wait, and two are dropped.
        let dropped = "the alert command is too slow: it does not run for further alerts"
        #expect(notes.withLock { $0 } == [dropped])
        try await wait(for: "four programs") { started().count >= 4 }
        #expect(started().count == 4)
        try Data().write(to: URL(fileURLWithPath: folder.path + "/go"))
        try await wait(for: "the programs of those that waited") { started().count >= 104 }
        await command.stop(within: .seconds(600))
        #expect(started().count == 104 && !started().contains { $0.contains("ch105") })
        #expect(notes.withLock { $0 } == [dropped])
    }

    @Test(arguments: [(90, "90 s"), (540, "9 min"), (7_300, "2 h"), (200_000, "2 days")])
    func sentence_ofClear_statesTheDurationOfTheProblem(seconds: Int64, text: String) {
        let alert = AlertFolder.alert("one")
        let ended = alert.ended(at: Double(alert.since / 1_000 + seconds))
        #expect(AlertChange.cleared(ended).sentence.hasSuffix(", lasted \(text)"))
        #expect(!AlertChange.raised(alert).sentence.contains(", lasted "))
    }

    /// The program for the raise is slower than the one for the clear.
    @Test func changesOfOneAlert_runSequentially_inOrder() async throws {
        let folder = try AlertFolder()
        let scripts = try TemporaryFolder()
        let program = try await scripts.script(
            "program",
            """
            case "$1" in *raised*) while [ ! -e '\(folder.path)/go' ]; do sleep 0.1; done;; esac
            echo "$1" >> '\(folder.path)/ended'
            """)
        let command = AlertCommand(
            path: program, environment: ["PATH": "/usr/bin:/bin"], clock: ManualClock()
        ) {
            Issue.record("\($0)")
        }
        let alert = AlertFolder.alert("one")
        for change in [AlertChange.raised(alert), .cleared(alert)] {
            command.send(
                change, as: AlertMessage(change, at: 1_000_000, evidence: nil, published: .steady(1_000_000)))
        }
        // Another alert does not wait.
        Self.send("two", to: command)
        let ended = { @Sendable [path = folder.path] in
            String(decoding: FileManager.default.contents(atPath: path + "/ended") ?? Data(), as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }
        try Data().write(to: URL(fileURLWithPath: folder.path + "/go"))
        await command.stop(within: .seconds(600))
        let ofOne = ended().filter { $0.contains("for one") }
        #expect(ended().count == 3 && ofOne.count == 2)
        #expect(ofOne.first?.contains("raised") == true && ofOne.last?.contains("cleared") == true)
    }

    @Test func hungProgram_isKilledAfter30Seconds() async throws {
        let scripts = try TemporaryFolder()
        // Only a kill ends this program.
        let program = try await scripts.script("program", "exec sleep 86400")
        let clock = ManualClock()
        let notes = AsyncStream.makeStream(of: String.self)
        let command = AlertCommand(path: program, environment: ["PATH": "/usr/bin:/bin"], clock: clock) {
            notes.continuation.yield($0)
        }
        Self.send("one", to: command)
        await clock.waitForSleepers()
        guard clock.sleeps == [.seconds(30)] else {
            Issue.record("it may run for \(clock.sleeps)")
            return await command.stop(within: .zero)
        }
        clock.advance(by: .seconds(30))
        var note = notes.stream.makeAsyncIterator()
        #expect(await note.next() == "the alert command was killed: it ran for more than 30 s")
        await command.stop(within: .seconds(600))
    }
}
