import CPowerCutVFS
import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// The power is cut repeatedly before a random write, truncation or sync.
///
/// The test then opens the remaining disk content, which the shim in `CPowerCutVFS` defines.
@Suite(.serialized, .timeLimit(.minutes(30))) struct PowerCutTests {
    /// The numbers of tags over all rounds: reported as durable, lost, and present although their delivery was
    /// acknowledged.
    private struct Outcome {
        var acknowledged = 0
        var lost = 0
        var reborn = 0
    }

    private func cutPower(rounds: Int, settings: StoreSettings, seed: UInt64) async throws -> Outcome {
        #expect(powercut_install() == 0)
        let directory = TestDirectory()
        let clock = ManualClock()
        var source = BodySource(seed: seed)
        var random = SplitMix64(state: seed)
        unsafe powercut_track(directory.path)
        let store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
        var outcome = Outcome()
        // The tags that the store reported as durable, and those whose delivery was acknowledged.
        var waiting: [TagID: [UInt8]] = [:]
        var gone: Set<TagID> = []
        var number = 0
        for _ in 0..<rounds {
            let image = TestDirectory()
            try FileManager.default.createDirectory(atPath: image.path, withIntermediateDirectories: true)
            unsafe powercut_arm(1 + random.next() % 120, image.path, random.next())
            var before = (waiting, gone)
            while powercut_has_fired() == 0 {
                before = (waiting, gone)
                let tags = source.tags(number..<(number + 1 + Int(random.next() % 40)))
                number += tags.count
                try await store.append(tags)
                for tag in tags { waiting[tag.id] = tag.body }
                guard powercut_has_fired() == 0, waiting.count > 400 else { continue }
                before = (waiting, gone)
                let batch = try await store.nextBatch(maximumCount: 300, maximumByteCount: .max)
                try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
                for tag in batch {
                    waiting[tag.id] = nil
                    gone.insert(tag.id)
                }
            }
            let again = try await TagBuffer.open(directory: image.path, settings: settings, clock: clock)
            var found: [TagID: [UInt8]] = [:]
            var position: Int64 = 0
            while let page = try await again.tags(after: position, maximumCount: 1_000).nonEmpty {
                for tag in page { found[tag.id] = tag.body }
                position = page[page.count - 1].sequence
            }
            // Tags whose delivery was being acknowledged at the power cut may be present or not. Tags whose delivery
            // was acknowledged before must not be present.
            let acknowledging = gone.subtracting(before.1)
            outcome.acknowledged += before.0.count
            outcome.lost +=
                before.0.filter { found[$0.key] != $0.value && !acknowledging.contains($0.key) }.count
            outcome.reborn += before.1.filter { found[$0] != nil }.count
            if settings.synchronous == .full { #expect(again.findings == OpeningFindings()) }
            try await expectConservation(again)
            await again.close()
        }
        await store.close()
        return outcome
    }

    /// A database without exclusive locking needs shared memory, which the shim does not support.
    @Test func untrackedDatabase_withTheShimInstalled_opensNormally() async throws {
        #expect(powercut_install() == 0)
        let directory = TestDirectory()
        try FileSystem.makeDirectory(directory.path)
        let connection = try SQLiteConnection(path: directory.path + "/tags.sqlite")
        #expect(try connection.run("PRAGMA journal_mode=WAL") == ["wal"])
        try connection.run("CREATE TABLE t(n)")
    }

    /// The log contains the acknowledgement, although its commit failed.
    ///
    /// The acknowledged tags must not be counted as missing.
    @Test(arguments: 1...6)
    func acknowledgement_withFailedSync_isNotCountedAsDamage(failingSyncCount: Int) async throws {
        #expect(powercut_install() == 0)
        let directory = TestDirectory()
        let clock = ManualClock()
        var source = BodySource(seed: 14)
        unsafe powercut_track(directory.path)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSample.settings, clock: clock)
        for start in stride(from: 0, to: 200, by: 40) {
            try await store.append(source.tags(start..<(start + 40)))
        }
        // With a frame in the log, the failing sync is that of the commit, not that of the log's header.
        try await store.append(source.tags(200..<201))
        let identity = FileSystem.identity(of: directory.path + "/tags.sqlite")
        let batch = try await store.nextBatch(maximumCount: 20, maximumByteCount: .max)
        powercut_fail_syncs(UInt64(failingSyncCount))
        var isAcknowledged = true
        do throws(StoreError) {
            try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
        } catch {
            #expect(error.isRetriable)
            isAcknowledged = false
        }
        #expect(!isAcknowledged || failingSyncCount < 3)
        powercut_fail_syncs(0)
        clock.advance(by: .seconds(1))
        try await store.append(source.tags(201..<202))
        #expect(FileSystem.identity(of: directory.path + "/tags.sqlite") == identity)
        let totals = store.totals()
        #expect(totals.delivered == 20 && totals.inStore == 182 && totals.losses.damaged == 0)
        let left = try await store.tags(after: 0, maximumCount: 500).map(\.sequence)
        #expect(left == Array(21...202))
        await store.close()
    }

    /// The log contains an acknowledgement whose retry failed, and the next append fails before it overwrites the log.
    @Test func acknowledgement_withFailedRetry_isNotCountedAsDamage() async throws {
        #expect(powercut_install() == 0)
        var failureCount = 0
        // The first operation fails, each later one in turn, and one of the next eight.
        for second in 16..<48 {
            for third in (second + 1)...(second + 8) {
                let directory = TestDirectory()
                let clock = ManualClock()
                var source = BodySource(seed: 17)
                unsafe powercut_track(directory.path)
                var store = try await TagBuffer.open(
                    directory: directory.path, settings: StoreSample.settings, clock: clock)
                try await store.append(source.tags(0..<21))
                let batch = try await store.nextBatch(maximumCount: 5, maximumByteCount: .max)
                let answer = Acknowledgement(delivered: batch.map(\.sequence))
                powercut_fail(1 | 1 << UInt64(second) | 1 << UInt64(third))
                do throws(StoreError) {
                    try await store.acknowledge(answer)
                } catch {
                    failureCount += 1
                }
                try await store.append(source.tags(21..<23))
                powercut_fail(0)
                clock.advance(by: .seconds(1))
                // The sender retries, and its next batch changes the same counter.
                try await store.acknowledge(answer)
                let next = try await store.nextBatch(maximumCount: 3, maximumByteCount: .max)
                try await store.acknowledge(Acknowledgement(delivered: next.map(\.sequence)))
                await store.close()
                store = try await TagBuffer.open(
                    directory: directory.path, settings: StoreSample.settings, clock: clock)
                #expect(store.findings == OpeningFindings(), "operations \(second) and \(third)")
                let totals = store.totals()
                #expect(totals.delivered == 8 && totals.inStore == 15 && totals.losses == LossTotals())
                await store.close()
            }
        }
        #expect(failureCount > 0)
    }

    /// A commit that failed was reverted after its last sequence was in the database, and its tags were refused.
    @Test func refusedTags_ofARevertedCommit_areNotMissingAtTheNextOpening() async throws {
        #expect(powercut_install() == 0)
        var refusalCount = 0
        for failing in 2..<7 {
            for end in 32..<48 {
                let directory = TestDirectory()
                let clock = ManualClock()
                var source = BodySource(seed: 18)
                unsafe powercut_track(directory.path)
                let settings = StoreSettings(
                    maximumByteCount: 2_000_000, fullPolicy: .refuseNewest, maximumMemoryByteCount: 1)
                var store = try await TagBuffer.open(
                    directory: directory.path, settings: settings, clock: clock)
                try await store.append(source.tags(0..<21))
                // A changed count of refusals makes the next transaction write the last sequence.
                await #expect(throws: StoreError.self) {
                    try await store.append(source.tags(21..<22, byteCount: 200_000))
                }
                // One operation fails, and later all of them.
                powercut_fail(1 << UInt64(failing) | .max << UInt64(end))
                do throws(StoreError) {
                    try await store.append(source.tags(21..<23))
                } catch {
                    refusalCount += 1
                    powercut_fail(.max)
                    await store.close()
                    powercut_fail(0)
                    store = try await TagBuffer.open(
                        directory: directory.path, settings: settings, clock: clock)
                    #expect(store.findings == OpeningFindings(), "operations \(failing) and \(end)")
                    #expect(store.totals().losses == LossTotals())
                }
                powercut_fail(0)
                await store.close()
            }
        }
        #expect(refusalCount > 0)
    }

    /// The last frame of the commit is in the log before the sync fails, so the next opening finds it.
    @Test(arguments: 1...6) func commit_withFailedSync_isAppliedExactlyOnce(failingSyncCount: Int)
        async throws
    {
        #expect(powercut_install() == 0)
        let directory = TestDirectory()
        let clock = ManualClock()
        var source = BodySource(seed: 13)
        unsafe powercut_track(directory.path)
        let settings = StoreSettings(maximumByteCount: 2_000_000, maximumMemoryByteCount: 8_000_000)
        var store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
        var offered = 0
        var inMemoryCount = 0
        for round in 0..<200 {
            if round % 5 == 0 { powercut_fail_syncs(UInt64(failingSyncCount)) }
            if round % 7 == 0 {
                let batch = try await store.nextBatch(maximumCount: 20, maximumByteCount: .max)
                // A sender retries a failed acknowledgement.
                do throws(StoreError) {
                    try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
                } catch {
                    #expect(error.isRetriable)
                }
            } else {
                let outcome = try await store.append(source.tags(offered..<(offered + 40)))
                if outcome.durability == .memoryOnly { inMemoryCount += 40 }
                offered += 40
            }
            // The buffer retries a failed opening of the database after a second.
            clock.advance(by: .seconds(1))
        }
        powercut_fail_syncs(0)
        clock.advance(by: .seconds(1))
        #expect(try await store.flush())
        let totals = store.totals()
        #expect(totals.overflow == 0 && totals.losses.damaged == 0 && totals.losses.memoryLost == 0)
        #expect(totals.losses.evicted > 0 && totals.delivered > 0)
        #expect(inMemoryCount > 0 || failingSyncCount < 2)
        try await expectConservation(store, offered: offered)
        await store.close()
        store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
        #expect(store.findings == OpeningFindings())
        try await expectConservation(store, offered: offered)
        await store.close()
    }

    /// The commit of an append fails, and then that of its move from memory; the log may contain either.
    ///
    /// The append also writes the last sequence, as every transaction does that changes a count of losses.
    @Test func tagsInMemory_whoseMoveFails_areMovedOnceTheDiskWorks() async throws {
        #expect(powercut_install() == 0)
        var failedMoveCount = 0
        for first in 0..<16 {
            for second in 0..<48 {
                let directory = TestDirectory()
                let clock = ManualClock()
                var source = BodySource(seed: 19)
                unsafe powercut_track(directory.path)
                let store = try await TagBuffer.open(
                    directory: directory.path, settings: StoreSample.settings, clock: clock)
                try await store.append(source.tags(0..<21))
                await #expect(throws: StoreError.self) {
                    try await store.append(source.tags(21..<22, byteCount: 200_000))
                }
                powercut_fail(.max << UInt64(first))
                try await store.append(source.tags(21..<23))
                powercut_fail(.max << UInt64(second))
                if try await !store.flush() { failedMoveCount += 1 }
                powercut_fail(0)
                #expect(try await store.flush(), "operations \(first) and \(second)")
                #expect(store.totals().losses == LossTotals() && store.totals().inStore == 23)
                let tags = try await store.tags(after: 0, maximumCount: 100)
                #expect(tags.map(\.sequence) == Array(1...23), "operations \(first) and \(second)")
                await store.close()
            }
        }
        #expect(failedMoveCount > 20)
    }

    /// While the disk fails, tags in memory are delivered directly, and the database is closed.
    @Test func tagsDeliveredFromMemory_areNotDamagedAtTheNextOpening() async throws {
        #expect(powercut_install() == 0)
        let directory = TestDirectory()
        let clock = ManualClock()
        var source = BodySource(seed: 16)
        unsafe powercut_track(directory.path)
        var store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSample.settings, clock: clock)
        try await store.append(source.tags(0..<40))
        powercut_fail(.max)
        try await store.append(source.tags(40..<50))
        let batch = try await store.nextBatch(maximumCount: 20, maximumByteCount: .max, after: 40)
        try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
        let expected = store.totals()
        #expect(expected.delivered == 10 && expected.inStore == 40 && expected.overflow == 0)
        powercut_fail(0)
        await store.close()
        store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSample.settings, clock: clock)
        #expect(store.findings == OpeningFindings())
        #expect(store.totals() == expected)
        await store.close()
    }

    /// The default settings must include full syncs.
    @Test func powerCut_withFullSync_losesNothing() async throws {
        let outcome = try await cutPower(rounds: 200, settings: StoreSettings(), seed: 11)
        #expect(outcome.acknowledged > 10_000)
        #expect(outcome.lost == 0)
        #expect(outcome.reborn == 0)
    }

    /// The control: without losses here, the shim would not simulate power cuts.
    @Test func powerCut_withNormalSync_losesTags() async throws {
        var settings = StoreSettings()
        settings.synchronous = .normal
        let outcome = try await cutPower(rounds: 40, settings: settings, seed: 12)
        #expect(outcome.lost > 0)
    }

    /// While a buffer is opened, each of its writes in turn fails because the disk is full, and a retry succeeds.
    @Test func fullDisk_whileABufferIsOpened_losesNothing() async throws {
        #expect(powercut_install() == 0)
        let directory = TestDirectory()
        let clock = ManualClock()
        var source = BodySource(seed: 5)
        unsafe powercut_track(directory.path)
        let tags = source.tags(0..<20)
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        try await store.append(tags)
        await store.close()
        var openings = 0
        for write in 1...12 {
            // A changed wall clock makes the opening write to the disk.
            clock.setWallClock(unixMilliseconds: clock.unixMilliseconds + 86_400_000)
            powercut_fill_disk(UInt64(write))
            // An opening may fail; the next one must then find everything.
            for attempt in 1...3 {
                guard let again = try? await TagBuffer.open(directory: directory.path, clock: clock) else {
                    #expect(attempt < 3, "write \(write)")
                    continue
                }
                openings += 1
                #expect(again.losses().total == 0, "write \(write)")
                #expect(
                    try await again.tags(after: 0, maximumCount: 100).map(\.id) == tags.map(\.id),
                    "write \(write)")
                await again.close()
                break
            }
            powercut_fill_disk(0)
        }
        #expect(openings == 12)
    }
}

extension Collection {
    /// The collection, or nil if it is empty.
    var nonEmpty: Self? { isEmpty ? nil : self }
}
