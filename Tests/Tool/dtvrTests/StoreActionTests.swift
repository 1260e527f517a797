import Foundation
import HostSystem
import TagStore
import TestSupport
import Testing

@testable import dtvr

/// Every action of `dtvr store` on waiting tags and on dead letters of a known age, alone and beside a monitor that
/// holds the buffer.
@Suite(.timeLimit(.minutes(30))) struct StoreActionTests {
    /// A call, and the numbers of waiting tags and dead letters after it.
    struct Call: Sendable, CustomTestStringConvertible {
        /// The arguments; OLDER and YOUNGER are ages on either side of that of the rows.
        let arguments: [String]
        /// The number of lines of output, or the output itself.
        let output: Output
        var waiting = 11
        var dead = 2

        enum Output: Sendable {
            case lines(Int)
            case text(String)
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let calls = [
        Call(arguments: ["export"], output: .lines(11)),
        Call(arguments: ["export", "--dead"], output: .lines(2)),
        Call(arguments: ["list", "--format", "json"], output: .lines(11)),
        Call(arguments: ["list", "--format", "json", "--dead"], output: .lines(2)),
        Call(arguments: ["status", "--format", "json"], output: .lines(1)),
        Call(arguments: ["verify"], output: .lines(3)),
        Call(arguments: ["retry"], output: .text("put back 2 tags\n"), waiting: 13, dead: 0),
        Call(arguments: ["prune", "--older-than", "OLDER"], output: .text("pruned 0 tags\n")),
        Call(arguments: ["prune", "--older-than", "YOUNGER"], output: .text("pruned 11 tags\n"), waiting: 0),
        Call(
            arguments: ["prune", "--dead", "--older-than", "OLDER"],
            output: .text("pruned 0 dead letters\n")),
        Call(
            arguments: ["prune", "--dead", "--older-than", "YOUNGER"],
            output: .text("pruned 2 dead letters\n"), dead: 0),
    ]

    @Test func calls_coverEveryAction_withAndWithoutDead() throws {
        let actions = StoreCommand.declaration.operandChoices
        #expect(Set(Self.calls.map { $0.arguments[0] }) == Set(actions))
        let forDead = Self.calls.filter { $0.arguments.contains("--dead") }.map { $0.arguments[0] }
        let named = try #require(Setting.dead.help.split(separator: ":").first)
        #expect(Set(forDead) == Set(named.split(separator: ", ").map(String.init)))
    }

    /// Fills a buffer with 11 waiting tags and two dead letters, and returns their age in seconds.
    private static func fill(_ store: String, in folder: TemporaryFolder) async throws -> Double {
        let made = folder.path + "/made"
        #expect(try await Tool.run("run", Tool.demo + "/index.m3u8", "--store", made).status == 0)
        let source = try await TagBuffer.open(directory: made)
        let bodies = try await source.tags(maximumCount: 100).map(\.body)
        await source.close()
        let system = SystemClock()
        let age = min(1_800, (system.sinceBoot / .seconds(2)).rounded(.down))
        let clock = ManualClock(
            unixMilliseconds: system.unixMilliseconds - Int64(age * 1_000),
            sinceBoot: system.sinceBoot - .seconds(age), bootID: system.bootID)
        let buffer = try await TagBuffer.open(directory: store, clock: clock)
        let outcome = try await buffer.append(bodies.map { NewTag(body: $0) })
        let first = try #require(outcome.sequences?.lowerBound)
        try await buffer.acknowledge(
            Acknowledgement(refused: [first + 3, first + 7].map { .init(sequence: $0, code: "bad_tag") }))
        await buffer.close()
        return age
    }

    @Test(arguments: calls, [false, true])
    func action_hasTheSameResult_aloneAndBesideAMonitor(call: Call, isHeld: Bool) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let age = try await Self.fill(store, in: folder)
        let monitor = try isHeld ? RunningMonitor(["http://127.0.0.1:9/a.m3u8"], in: folder) : nil
        try await wait(for: "the monitor") {
            !isHeld || FileManager.default.fileExists(atPath: store + "/buffer.sock")
        }
        let arguments = call.arguments.map {
            ["OLDER": "\(age * 2)s", "YOUNGER": "\(age / 2)s"][$0] ?? $0
        }
        let result = try await Tool.run(arguments: ["store"] + arguments + ["--store", store])
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        switch call.output {
        case .lines(let count): #expect(result.outputLines.count == count, "\(result.output)")
        case .text(let text): #expect(result.output == text)
        }
        let status = try await Tool.run("store", "status", "--format", "json", "--store", store)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
        #expect((object["held_by"] as? Int != nil) == isHeld)
        #expect(object["waiting"] as? Int == call.waiting && object["dead_letters"] as? Int == call.dead)
        if let monitor { #expect(await monitor.stop() == 0) }
    }
}
