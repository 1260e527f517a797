import Foundation
import Glibc
import TestSupport
import Testing

@testable import dtvr

/// The unusual ends of every command: interrupted, with an input or output that fails, and with tags in memory only.
///
/// A command, or an action of `dtvr store` and `dtvr ledger`, without a row in `CommandEnds.all` fails a test.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CommandEndTests {
    /// The names of all commands; those with actions once for each action.
    private static var forms: [String] {
        CommandRegistry.declarations.flatMap { command in
            ["store", "ledger"].contains(command.name)
                ? command.operandChoices.map { "\(command.name) \($0)" } : [command.name]
        }
    }

    @Test func everyCommand_hasARow() {
        #expect(Set(Self.forms).subtracting(CommandEnds.all.keys) == [])
        for (form, ends) in CommandEnds.all {
            for call in ends.all.flatMap(\.calls) {
                let words = form.split(separator: " ").map(String.init)
                #expect(Set(words).isSubset(of: call.arguments), "\(form): \(call)")
            }
        }
        // Another mode of a command is a flag that makes it a service.
        let modes = CommandEnds.all.keys.filter { !Self.forms.contains($0) }
        #expect(Set(modes) == ["upload --follow", "synth --live"])
    }

    private static func calls(_ ending: KeyPath<CommandEnds, CommandEnds.End>) -> [CommandEnds.Call] {
        CommandEnds.all.sorted { $0.key < $1.key }.flatMap { $0.value[keyPath: ending].calls }
    }

    @Test(arguments: calls(\.interrupted))
    func interruptedCommand_endsWithItsStatus(call: CommandEnds.Call) async throws {
        let scene = try await CommandScene(call)
        let isStalled = call.arguments.contains("STALLED")
        let (result, _) = try await scene.run(to: isStalled ? .stalledPipe : .file, interruptedBy: SIGTERM)
        #expect(result.status == call.status, "\(result)")
    }

    /// A command does not wait for the reader of its last lines longer than 1 s, and a service not longer than 5 s.
    @Test(arguments: [
        ["completions", "bash"], ["manual"],
        ["upload", "--follow", "--store", "NEW", "--collector", "http://PEER/"],
    ])
    func commandThatHangsAtItsEnd_isEnded(arguments: [String]) async throws {
        let scene = try await CommandScene(CommandEnds.Call(arguments, 130))
        let (result, time) = try await scene.run(to: .stalledPipe, interruptedBy: SIGTERM)
        #expect(result.status == 130, "\(result)")
        // Far above the limits, for loaded machines.
        #expect(time < .seconds(25), "\(time)")
    }

    @Test(arguments: calls(\.brokenInput))
    func inputThatBreaksOff_isReported(call: CommandEnds.Call) async throws {
        let (result, _) = try await CommandScene(call).run()
        #expect(result.status == call.status, "\(result)")
        #expect(result.errors.hasPrefix("dtvr: "))
    }

    @Test(arguments: calls(\.closedOutput))
    func outputThatFails_isReported_unlessItsReaderHasEnded(call: CommandEnds.Call) async throws {
        let signal = call.arguments.contains("--follow") ? SIGTERM : nil
        let (full, _) = try await CommandScene(call).run(to: .fullDisk, interruptedBy: signal)
        #expect(full.status == 6 && full.errors.contains("cannot be written"), "\(full)")
        let (closed, _) = try await CommandScene(call).run(to: .closedPipe, interruptedBy: signal)
        #expect(closed.status == call.status && !closed.errors.contains("cannot be written"), "\(closed)")
    }

    @Test func everyCommand_isTestedWithOutputThatFails() {
        let others = Set(
            OutputTests.calls.map { $0[0] == "store" ? $0.prefix(2).joined(separator: " ") : $0[0] })
        for (form, ends) in CommandEnds.all where ends.closedOutput.calls.isEmpty {
            let action = form.split(separator: " ").last.map(String.init) ?? ""
            let isOfLedger =
                form.hasPrefix("ledger ") && LedgerOutputTests.calls.contains { $0.action == action }
            #expect(others.contains(form) || isOfLedger, "\(form)")
        }
    }

    /// The disk is full, so tags are in memory only, and lost when the command ends.
    @Test(
        .enabled(if: BufferTests.mayMount, "file systems cannot be mounted here"),
        arguments: calls(\.lostInMemory))
    func tagsInMemoryOnly_areReportedAtTheEnd(call: CommandEnds.Call) async throws {
        let scene = try await CommandScene(call)
        let station = try await RunningStation.start()
        let arguments = scene.arguments.map { $0 == "STATION" ? station.urls[0] : $0 }
        // A service gets tags while it runs, from a channel or from another command. The script waits up to ten minutes
        // for the start, and for the first tag of a channel.
        let script = """
            folder=$1 tool=$2 segment=$3; shift 3
            mkdir "$folder/disk" && mount -t tmpfs -o size=2m,mode=0700 none "$folder/disk" || exit 99
            cd "$folder/disk" && "$tool" run "$segment" --store store >/dev/null 2>&1 || exit 98
            : > store/reserve
            dd if=/dev/zero of=filler bs=4096 2>/dev/null
            "$tool" store prune --older-than 0s --store store >/dev/null || exit 97
            "$tool" "$@" >"$folder/output" 2>&1 & process=$!
            if [ "$1" = monitor ] || [ "$1" = upload ]; then
                for i in $(seq 6000); do
                    if grep -q '"type":"tag"\\|until stopped' "$folder/output"; then break; fi
                    sleep 0.1
                done
                if [ "$1" = upload ]; then "$tool" run "$segment" --store store >/dev/null 2>&1; fi
                kill -TERM $process
            fi
            wait $process; status=$?
            cat "$folder/output"
            exit $status
            """
        let finished = try await FinishedProcess.of(
            "/usr/bin/unshare",
            ["-m", "sh", "-c", script, "sh", scene.folder.path, Tool.path, CommandEnds.segment] + arguments,
            environment: Tool.environment(
                home: scene.folder.path, ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]))
        let output = String(decoding: finished.output + finished.errors, as: UTF8.self)
        #expect(finished.status == call.status, "\(output.suffix(2_000))")
        let isReported = output.contains(" was in memory only") || output.contains(" were in memory only")
        #expect(isReported, "\(output.suffix(2_000))")
    }
}
