import Foundation
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// Random calls with random arguments, from a seed: every tag is counted.
///
/// `DTVR_CALL_SEQUENCES` sets the number of sequences for the machine. A session with a real buffer runs a hundredth of
/// that number.
@Suite(.timeLimit(.minutes(60))) struct RandomCallTests {
    static let sequenceCount =
        ProcessInfo.processInfo.environment["DTVR_CALL_SEQUENCES"].flatMap { Int($0) } ?? 4_000

    /// A random number generator with a seed (SplitMix64).
    struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    static let values: [MetadataValue] = [
        nil, "", "x", 0, 1, 5, 40, 100, 1_792_000_000, 1_792_000_000_000, -3, true, false, [], [:],
        "www.nielsen.com/a", "www.nielsen.com/b", "www.nielsen.com/c/0/1/2", "com.example.ads",
        "type=nielsen_tag;payload=d3d3Lm5pZWxzZW4uY29tL2Q=", "type=nielsen_tag;payload=!",
        "nielsenappsdk://1",
        "nielsenappsdk://0", "blur", "focus", ["channelName": "One"], ["channelName": "Two"],
        ["channelName": "Three", "dataSrc": "cms"], ["type": "content", "assetid": "C", "dataSrc": "cms"],
        ["type": "content", "assetid": "A"], ["type": "midroll", "assetid": "B"], ["type": "postroll"],
        ["appid": "T1"], ["appid": ""], ["appid": "T1", "optout": "true"], "sendID3", "stop", "end", 3, 7, 49,
        57,
        ["event": "playhead", "type": "content", "playheadPosition": "3", "id3Data": "www.nielsen.com/a"],
        [
            "event": "adStop", "type": "ad", "metadata": ["ad": ["assetid": "AD"]],
            "id3Data": "www.nielsen.com/e",
        ],
        ["event": "complete", "type": "content"],
    ]

    static func randomCall(_ generator: inout SeededGenerator) -> SessionCall {
        // Most calls of players are tags and playheads.
        let name: CallName =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4: .sendID3
            case 4: .playheadPosition
            default: CallName.allCases.randomElement(using: &generator) ?? .stop
            }
        let count = Int.random(in: 0...2, using: &generator)
        return SessionCall(name, (0..<count).map { _ in values.randomElement(using: &generator) ?? nil })
    }

    @Test func machine_withRandomCalls_countsEachTagOnce_andReleasesEachHeldTagOnce() {
        for seed in 0..<Self.sequenceCount {
            var generator = SeededGenerator(state: UInt64(seed))
            var machine = SessionMachineTests.machine(keepsRepeats: seed % 7 == 0)
            var now = Duration.zero
            var stored: Set<SessionTag> = []
            var held: Set<UInt64> = []
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                now += .seconds(Double.random(in: 0...3, using: &generator))
                for write in machine.handle(Self.randomCall(&generator), at: now).writes {
                    switch write {
                    case .store(.tag(let tag)):
                        precondition(stored.insert(tag).inserted, "seed \(seed): stored twice")
                    case .store, .quarantine, .admit: break
                    case .hold(let tag, let number):
                        precondition(stored.insert(tag).inserted, "seed \(seed): stored twice")
                        precondition(held.insert(number).inserted, "seed \(seed): held twice")
                    case .release(let number, _):
                        precondition(held.remove(number) != nil, "seed \(seed): released twice")
                    }
                }
                let counts = machine.counts
                if !counts.isConserved || counts.stored != stored.count || counts.held != held.count {
                    Issue.record("seed \(seed): \(counts)")
                    return
                }
            }
        }
    }

    @Test func session_withRandomCalls_buffersEveryTag() async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path)
        var options = SessionOptions(directory: folder.path)
        options.keepsIdentity = false
        var prunedCount: Int64 = 0
        for seed in 0..<max(1, Self.sequenceCount / 100) {
            var generator = SeededGenerator(state: UInt64(seed) &+ 1 << 40)
            let clock = ManualClock()
            let session = MeasurementSession(options: options, clock: clock, buffer: buffer)
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                clock.advance(by: .seconds(Double.random(in: 0...3, using: &generator)))
                session.call(Self.randomCall(&generator))
            }
            // Ends the quarantine of an app without a readable id; a user who has opted out keeps nothing of it.
            session.call(SessionCall(.initialize, [["appid": "T1"]]))
            #expect(await session.flush())
            let counts = session.counts
            let storage = session.storage
            #expect(counts.isConserved, "seed \(seed)")
            #expect(
                storage.accepted == counts.stored && storage.queued == 0 && storage.lost == 0, "seed \(seed)")
            let totals = buffer.totals()
            let deletedCount = totals.losses.pruned - prunedCount
            prunedCount = totals.losses.pruned
            #expect(
                totals.inStore + deletedCount == Int64(counts.stored + storage.summaries), "seed \(seed)")
            let tagCount = try await Self.tagCount(of: buffer)
            #expect(deletedCount > 0 || tagCount == counts.stored - counts.held, "seed \(seed)")
            await session.finish()
            let lastCount = try await Self.tagCount(of: buffer)
            #expect(deletedCount > 0 || lastCount == counts.stored, "seed \(seed)")
            let all = try await buffer.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
            try await buffer.acknowledge(Acknowledgement(delivered: all.map(\.sequence)))
        }
        await buffer.close()
    }

    /// Returns the number of tags that may be delivered, without summaries.
    private static func tagCount(of buffer: TagBuffer) async throws -> Int {
        try await buffer.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
            .filter { try StoredRecord.decode($0.body.span).isTag }.count
    }
}
