import Foundation
import Glibc
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// The status file of a buffer, for processes other than its owner.
@Suite(.timeLimit(.minutes(30))) struct StatusFileTests {
    /// The owner writes the file at most once a second, and the file is always complete.
    @Test func statusFile_whileTheStoreIsOpen_isAtMostOneSecondOld() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        try await store.append([NewTag(body: [1])])
        #expect(StoreStatus.lastWritten(in: directory.path)?.totals.accepted == 0)
        clock.advance(by: .milliseconds(500))
        try await store.append([NewTag(body: [2])])
        #expect(StoreStatus.lastWritten(in: directory.path)?.totals.accepted == 0)
        clock.advance(by: .milliseconds(500))
        try await store.expire()
        let status = try #require(StoreStatus.lastWritten(in: directory.path))
        #expect(status.totals.accepted == 2)
        #expect(status.processID == getpid())
        #expect(status.written == clock.unixMilliseconds)
        #expect(status.storeID == store.id.text)
        #expect(status.state == .normal)
        #expect(status.oldestReceived == clock.unixMilliseconds - 1_000)
        #expect(status.newestReceived == clock.unixMilliseconds - 500)
        let size = try #require(FileSystem.byteCount(of: directory.path + "/status.json"))
        #expect(size <= StoreStatus.maximumFileByteCount)
        await store.close()
        #expect(StoreStatus.lastWritten(in: directory.path)?.state == .closed)
        try Data("{\"storeID\":".utf8).write(to: URL(fileURLWithPath: directory.path + "/status.json"))
        #expect(StoreStatus.lastWritten(in: directory.path) == nil)
        #expect(StoreStatus.lastWritten(in: directory.path + "/none") == nil)
    }

    /// The last changes of each burst are in the file about a second later, without another change.
    @Test func statusFile_afterEachBurst_isWrittenWithoutAnotherChange() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        for burst in 1...3 as ClosedRange<Int64> {
            // The first append may be in the file at once, and the second is within the same second.
            for part in 0...1 as ClosedRange<Int64> {
                try await store.append([NewTag(body: [UInt8(burst), UInt8(part)])])
            }
            clock.advance(by: .milliseconds(1_000))
            try await wait(for: "the status of burst \(burst)") {
                [path = directory.path] in
                StoreStatus.lastWritten(in: path)?.totals.accepted == burst * 2
            }
        }
        await store.close()
    }

    /// A change after a write that came before the scheduled one is published too, without another change.
    @Test func statusFile_afterATimerThatWasEarly_isWritten() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        // The first use starts the timer, the second writes the file, and the tag finds the timer running.
        try await store.expire()
        clock.advance(by: .seconds(1))
        try await store.expire()
        try await store.append([NewTag(body: [1])])
        try await wait(for: "the status of the tag") { [path = directory.path] in
            // A hundred of these are at least a second, so the timer fires before the buffer's clock reaches its time.
            clock.advance(by: .milliseconds(5))
            return StoreStatus.lastWritten(in: path)?.totals.accepted == 1
        }
        await store.close()
    }

    /// The status contains the number of tags in flight, the delivery state, and the size of each file.
    @Test func status_reportsDeliveryStateAndFileSizes() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        try await store.append([NewTag(body: [1]), NewTag(body: [2]), NewTag(body: [3])])
        #expect(try await store.status().deliveryState == [])
        let batch = try await store.nextBatch(maximumCount: 2, maximumByteCount: 100)
        #expect(try await store.status().inFlightCount == 2)
        let state = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence), deliveryState: state))
        clock.advance(by: .milliseconds(1_000))
        try await store.expire()
        let status = try #require(StoreStatus.lastWritten(in: directory.path))
        #expect(status.inFlightCount == 0)
        #expect(status.deliveryState == state)
        #expect(status.newestReceived == status.oldestReceived)
        _ = try await store.nextBatch(maximumCount: 2, maximumByteCount: 100)
        try await store.acknowledge(Acknowledgement(deliveryState: state))
        #expect(try await store.status().inFlightCount == 0)

        let files = try await store.status().files
        for (name, size) in [
            ("tags.sqlite", files.database), ("tags.sqlite-wal", files.writeAheadLog),
            ("reserve", files.reserve), ("high-water", files.highWaterMark), ("status.json", files.status),
            ("lock", files.other),
        ] {
            #expect(
                size > 0 && FileSystem.byteCount(of: directory.path + "/" + name) == Int(size), "\(name)")
        }
        await store.close()
    }

    /// The file stays within its size limit with the longest numbers and any delivery state.
    @Test(arguments: [0, 1, 1_536, 1_537, 4_096])
    func statusFile_withTheLongestValues_staysWithinItsLimit(stateByteCount: Int) throws {
        let directory = TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        var totals = StoreTotals()
        totals.losses.memoryLost = .min
        for key in Ledger.counters.map(\.value) { totals[keyPath: key] = .min }
        totals.accepted = .min
        totals.inStore = .min
        var files = StoreFileSizes()
        for name in ["tags.sqlite", "tags.sqlite-wal", "reserve", "high-water", "status.json", "lock"] {
            // The sum of the sizes must not overflow.
            files[keyPath: StoreFileSizes.place(of: name)] = .min / 8
        }
        var settings = StoreSettings()
        settings.maximumByteCount = .min
        settings.maximumAge = .milliseconds(Int64.min)
        settings.fullPolicy = .refuseNewest
        let state = [UInt8](repeating: 0xFF, count: stateByteCount)
        var status = StoreStatus(
            storeID: TagID(high: .max, low: .max).text, processID: .min, written: .min, state: .degraded,
            lastSequence: .min, inFlightCount: .min, files: files, settings: settings,
            isClockTrusted: false, unknownAge: .clockThen, commitCount: .min, totals: totals)
        status.oldestReceived = .min
        status.newestReceived = .min
        status.deadLetterCount = .min
        status.overflowCount = .min
        status.deliveryState = state
        status.write(in: StoreFolder(path: directory.path))
        #expect(StoreStatus.lastWritten(in: directory.path) == status)
        #expect(status.deliveryState == (stateByteCount <= 1_536 ? state : []))
    }

    /// A change just after a write is published a second later, even if nothing else happens.
    @Test func statusFile_afterTheLastChange_isWrittenAgain() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path)
        try await store.append([NewTag(body: [1])])
        _ = try await store.nextBatch(maximumCount: 1, maximumByteCount: 100)
        var status = try #require(StoreStatus.lastWritten(in: directory.path))
        while status.inFlightCount == 0 {
            try Task.checkCancellation()
            await Task.yield()
            status = try #require(StoreStatus.lastWritten(in: directory.path))
        }
        #expect(status.inFlightCount == 1)
        #expect(status.totals.accepted == 1)
        await store.close()
    }
}
