import NielsenID3
import Synchronization
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import TagDelivery

/// The queue of writers that do not wait for the disk, and the writes that `TagIngest` performs for it.
@Suite struct WriteQueueTests {
    private static func record(_ number: Int) throws -> StoredRecord {
        .tag(try #require(SampleTags.record(number, ticks: UInt64(number))))
    }

    private struct TestRecord: QueuedRecord {
        let byteCount = 512
        var isTag = true
    }

    /// Returns the kinds and sizes of all groups.
    private static func groups(of queue: inout WriteQueue<TestRecord>) -> [String] {
        var groups: [String] = []
        while let group = queue.next() {
            switch group {
            case .append(let requests, let isQuarantined):
                let kind = requests.first?.held == nil ? "append" : "hold"
                groups.append("\(isQuarantined ? "quarantine" : kind) \(requests.count)")
            case .admit(let isDeleting): groups.append(isDeleting ? "delete" : "admit")
            case .release(let requests): groups.append("release \(requests.count)")
            case .flush(let callers): groups.append("flush \(callers.count)")
            }
        }
        return groups
    }

    @Test func requests_ofOneKind_shareGroupsOfUpTo64() throws {
        var queue = WriteQueue<TestRecord>()
        var begins = queue.begin()
        #expect(!begins)
        let held = HeldRecord(writer: 1, number: 0)
        var requests: [WriteRequest<TestRecord>] = []
        for _ in 0..<70 { requests.append(.append(TestRecord(), writer: 1)) }
        requests.append(.append(TestRecord(), writer: 2))
        requests.append(.append(TestRecord(), writer: 1, held: held))
        requests.append(.release(held, as: nil))
        requests.append(.append(TestRecord(), writer: 2))
        requests.append(.append(TestRecord(), writer: 2, isQuarantined: true))
        requests.append(.admit(deleting: false))
        requests.append(.append(TestRecord(), writer: 2, isQuarantined: true))
        requests.append(.admit(deleting: true))
        for request in requests { _ = queue.add(request) }
        begins = queue.begin()
        #expect(begins)
        begins = queue.begin()
        #expect(!begins)
        #expect(
            Self.groups(of: &queue) == ["append 64", "append 7", "hold 1", "release 1", "append 1"]
                + ["quarantine 1", "admit", "quarantine 1", "delete"])
        begins = queue.begin()
        #expect(!begins)
    }

    @Test func otherRecords_useAtMostAnEighthOfTheQueue_andTagsTheRest() throws {
        var queue = WriteQueue<TestRecord>()
        var others = 0
        while queue.add(.append(TestRecord(isTag: false), writer: 1)) { others += 1 }
        #expect(others == WriteQueue<TestRecord>.maximumByteCount / 8 / 512)
        var tags = 0
        while queue.add(.append(TestRecord(), writer: 1)) { tags += 1 }
        #expect(others + tags == WriteQueue<TestRecord>.maximumByteCount / 512)
        while queue.next() != nil {}
        let isAdded = queue.add(.append(TestRecord(isTag: false), writer: 1))
        #expect(isAdded)
    }

    /// The group that is being written counts toward the limit until the next group is removed.
    @Test func records_beyondByteLimit_areRefused_butReleasesAreNot() throws {
        var queue = WriteQueue<TestRecord>()
        let record = TestRecord()
        var count = 0
        while queue.add(.append(record, writer: 1)) { count += 1 }
        #expect(count == WriteQueue<TestRecord>.maximumByteCount / 512)
        var isAdded = queue.add(.release(HeldRecord(writer: 1, number: 0), as: record))
        #expect(isAdded)
        _ = queue.next()
        // 64 records have left the queue but are still in memory.
        isAdded = queue.add(.append(record, writer: 1))
        #expect(!isAdded)
        _ = queue.next()
        isAdded = queue.add(.append(record, writer: 1))
        #expect(isAdded)
    }

    /// A queue whose callers record their answers.
    private final class Callers: Sendable {
        let queue = Mutex(WriteQueue<TestRecord>())
        let answers = Mutex<[String]>([])

        /// Adds a caller, and returns when it waits.
        func flush(_ name: String) async throws {
            let count = queue.withLock { $0.callerCount }
            Task {
                let isOnDisk = await withCheckedContinuation { continuation in
                    _ = queue.withLock { $0.add(.flush(FlushCaller(continuation, until: .zero))) }
                }
                answers.withLock { $0.append("\(name) \(isOnDisk)") }
            }
            try await wait(for: "the caller") { self.queue.withLock { $0.callerCount } > count }
        }

        /// Answers the callers of an attempt that has failed.
        func fail() { for caller in queue.withLock({ $0.takeCallers() }) { caller.answer(false) } }
    }

    /// A caller that comes during an attempt is not answered when it fails, but by the next one.
    @Test func failedAttempt_answersOnlyTheCallersThatWaitedAtItsStart() async throws {
        let callers = Callers()
        try await callers.flush("early")
        callers.queue.withLock { $0.beginAttempt() }
        try await callers.flush("late")
        callers.fail()
        try await wait(for: "the first answer") { callers.answers.withLock { $0 == ["early false"] } }
        #expect(callers.queue.withLock { $0.callerCount } == 1)
        callers.queue.withLock { $0.beginAttempt() }
        callers.fail()
        try await wait(for: "the second answer") {
            callers.answers.withLock { $0 == ["early false", "late false"] }
        }
    }

    @Test func records_thatAreHeld_areDeliveredOnceTheyAreReleased() async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path)
        let ingest = TagIngest(into: buffer)
        let held = try await ingest.append([try Self.record(1), try Self.record(2)], isHeld: true)
        #expect(held.allSatisfy { $0.isDurable })
        #expect(try await buffer.nextBatch(maximumCount: 9, maximumByteCount: .max).isEmpty)
        let first = try #require(held[0].sequence)
        try await ingest.release([(first, try Self.record(3))])
        let tags = try await buffer.nextBatch(maximumCount: 9, maximumByteCount: .max)
        #expect(tags.map(\.sequence) == [first])
        #expect(try tags.map { try StoredRecord.decode($0.body.span) } == [try Self.record(3)])
        await buffer.close()
    }
}
