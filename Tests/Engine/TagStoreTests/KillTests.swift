import Foundation
import Glibc
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// A process is killed repeatedly during its work.
///
/// Every tag that was reported as durable must be in the buffer.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KillTests {
    private static let recordByteCount = 16

    @Test func sigkill_atAnyMoment_losesNoDurableTag() async throws {
        let directory = TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        var acknowledged: Set<TagID> = []
        var random = SplitMix64(state: 41)
        for round in 0..<25 {
            let path = directory.path
            let operations = Int(random.next() % 60)
            let spins = Int(random.next() % 200_000)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, round = round as Int, operations = operations as Int,
                    spins = spins as Int
                ] in
                try await KillTests.work(in: path, round: round, operations: operations, spins: spins)
            }
            // The file does not exist if the child was killed early.
            let records =
                FileSystem.byteCount(of: path + "/acknowledged") == nil
                ? [] : try FileSystem.firstBytes(of: path + "/acknowledged", 4_000_000)
            acknowledged = []
            let whole = records.count / Self.recordByteCount
            for index in 0..<whole {
                let start = index * Self.recordByteCount
                if let id = TagID(bytes: records.span.extracting(start..<(start + 16))) {
                    acknowledged.insert(id)
                }
            }
            let store = try await TagBuffer.open(directory: path + "/store", clock: ManualClock())
            #expect(store.findings == OpeningFindings())
            var found: Set<TagID> = []
            var position: Int64 = 0
            while let page = try await store.tags(after: position, maximumCount: 1_000).nonEmpty {
                for tag in page { found.insert(tag.id) }
                position = page[page.count - 1].sequence
            }
            let lost = acknowledged.subtracting(found)
            #expect(lost.isEmpty, "round \(round) lost \(lost.count) of \(acknowledged.count)")
            try await expectConservation(store)
            await store.close()
        }
        #expect(acknowledged.count > 500)
    }

    /// Runs in the child: appends tags and records the acknowledged ones, until a thread kills the process at some
    /// moment.
    static func work(in path: String, round: Int, operations: Int, spins: Int) async throws {
        let store = try await TagBuffer.open(directory: path + "/store", clock: ManualClock())
        let notes = unsafe open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var source = BodySource(seed: UInt64(1_000 + round))
        for _ in 0..<operations {
            let tags = source.tags(0..<7)
            try await store.append(tags)
            // Once the call returns, the kernel has the record, which survives the process.
            let bytes = tags.flatMap(\.id.bytes)
            _ = unsafe write(notes, bytes, bytes.count)
        }
        let killer = Thread {
            // Spins for a random time, so that the kill may hit any point of the work below.
            var turns = SplitMix64(state: 0)
            for _ in 0..<spins { _ = turns.next() }
            kill(getpid(), SIGKILL)
        }
        killer.start()
        var count = 1
        while true {
            count = count % 40 + 1
            let tags = source.tags(0..<count)
            try await store.append(tags)
            let bytes = tags.flatMap(\.id.bytes)
            _ = unsafe write(notes, bytes, bytes.count)
        }
    }

    @Test func open_whileInUseByAnotherProcess_reportsItsPID() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        let path = directory.path
        let owner = getpid()
        await #expect(processExitsWith: .success) { [path = path as String, owner = owner as Int32] in
            do throws(StoreError) {
                _ = try await TagBuffer.open(directory: path, clock: ManualClock())
                exit(1)
            } catch .inUse(let pid) {
                exit(pid == owner ? 0 : 2)
            }
        }
        try await store.append([NewTag(body: [1])])
        try await expectConservation(store, offered: 1)
        await store.close()
    }
}
