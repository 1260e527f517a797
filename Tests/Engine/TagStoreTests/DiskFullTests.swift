import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// A full disk: every lost tag is counted, and the store recovers when there is space.
@Suite(
    .serialized, .timeLimit(.minutes(30)),
    .enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"))
struct DiskFullTests {
    static let settings = StoreSettings(maximumByteCount: 4_000_000)

    func withDisk(
        byteCount: Int, _ body: (borrowing SmallDisk) async throws -> Void
    ) async throws {
        let directory = TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        guard let disk = SmallDisk(at: directory.path, byteCount: byteCount) else {
            Issue.record("a file system that could be mounted before cannot be now")
            return
        }
        try await body(disk)
        // The directory must exist until the file system on it is unmounted.
        _ = consume disk
        withExtendedLifetime(directory) {}
    }

    /// Frees the space that a buffer has reserved.
    private static func freeReserve(in folder: String) throws {
        let file = try FileDescriptor(path: folder + "/reserve", options: .readingAndWriting)
        try file.truncate(to: 0)
    }

    /// Other files fill the disk while the store is far below its limit.
    ///
    /// The store continues in its space, and grows again when there is more.
    @Test func store_whenOthersFillTheDisk_continuesInItsOwnSpace() async throws {
        try await withDisk(byteCount: 8_000_000) { disk in
            let clock = ManualClock()
            var source = BodySource(seed: 31)
            let store = try await TagBuffer.open(directory: disk.path, settings: Self.settings, clock: clock)
            var offered = 0
            func append(_ count: Int) async throws -> AppendOutcome {
                let outcome = try await store.append(source.tags(offered..<(offered + count)))
                offered += count
                return outcome
            }
            for _ in 0..<60 { #expect(try await append(50).durability == .durable) }
            disk.fill(leaving: 0)
            for round in 0..<200 {
                #expect(try await append(50).durability == .durable, "round \(round)")
            }
            #expect(try await store.status().state == .diskFull)
            let evicted = store.losses().evicted
            #expect(evicted > 0)
            #expect(store.losses().total == evicted)
            try await expectConservation(store, offered: offered)
            // Delivery works too.
            let batch = try await store.nextBatch(maximumCount: 500, maximumByteCount: .max)
            #expect(batch.count == 500)
            try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
            try await expectConservation(store, offered: offered)
            // With free space again, the store restores the reserve after a minute and grows.
            disk.release()
            clock.advance(by: .milliseconds(60_000))
            _ = try await append(1)
            _ = try await append(1)
            #expect(try await store.status().state == .normal)
            #expect(
                FileSystem.byteCount(of: disk.path + "/reserve")
                    == StoreBudget(maximumByteCount: 4_000_000).reserveByteCount)
            let acknowledged = store.losses().evicted
            for _ in 0..<20 { _ = try await append(50) }
            #expect(store.losses().evicted == acknowledged)
            try await expectConservation(store, offered: offered)
            await store.close()
        }
    }

    /// Without a reserve and without space for the log, tags are kept in memory.
    ///
    /// The oldest of them are dropped at the memory limit, and the others are written as soon as the disk has space.
    @Test func fullDisk_withoutReserve_keepsTagsInMemoryUntilThereIsSpace() async throws {
        try await withDisk(byteCount: 2_000_000) { disk in
            let clock = ManualClock()
            var source = BodySource(seed: 32)
            var settings = Self.settings
            settings.maximumMemoryByteCount = 60_000
            let store = try await TagBuffer.open(directory: disk.path, settings: settings, clock: clock)
            try await store.append(source.tags(0..<10))
            try Self.freeReserve(in: disk.path)
            disk.fill(leaving: 0)
            // Use up the remaining space of the log.
            var offered = 10
            var outcome = AppendOutcome(sequences: nil, durability: .durable)
            while outcome.durability == .durable, offered < 20_000 {
                outcome = try await store.append(source.tags(offered..<(offered + 1), byteCount: 3_000))
                offered += 1
                disk.fill(leaving: 0)
            }
            #expect(outcome.durability == .memoryOnly)
            #expect(try await store.status().state == .degraded)
            for _ in 0..<40 {
                try await store.append(source.tags(offered..<(offered + 1), byteCount: 3_000))
                offered += 1
                disk.fill(leaving: 0)
            }
            let lost = store.losses().memoryLost
            #expect(lost > 0)
            #expect(store.totals().isBalanced)
            #expect(store.totals().offered == Int64(offered))
            let overflowCount = try await store.status().overflowCount
            #expect(overflowCount > 0)
            // Tags in memory can be delivered too.
            let batch = try await store.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
            #expect(Int64(batch.count) == store.totals().inStore + store.totals().overflow)
            #expect(batch.map(\.sequence) == batch.map(\.sequence).sorted())
            try await store.acknowledge(Acknowledgement(delivered: batch.suffix(2).map(\.sequence)))
            #expect(store.totals().isBalanced)
            #expect(store.totals().delivered == 2)

            disk.release()
            clock.advance(by: .milliseconds(60_000))
            let recovered = try await store.append(source.tags(offered..<(offered + 1)))
            offered += 1
            #expect(recovered.durability == .durable)
            #expect(store.losses().memoryLost == lost)
            try await expectConservation(store, offered: offered)
            await store.close()
            let again = try await TagBuffer.open(directory: disk.path, settings: settings, clock: clock)
            #expect(again.findings == OpeningFindings())
            #expect(again.losses().memoryLost == lost)
            try await expectConservation(again, offered: offered)
            await again.close()
        }
    }

    /// A held tag in memory only is not delivered before its release, and then with its new body.
    @Test func heldTags_inMemoryOnly_areNotDeliveredBeforeTheirRelease() async throws {
        try await withDisk(byteCount: 2_000_000) { disk in
            let clock = ManualClock()
            var source = BodySource(seed: 36)
            let store = try await TagBuffer.open(directory: disk.path, settings: Self.settings, clock: clock)
            try Self.freeReserve(in: disk.path)
            disk.fill(leaving: 0)
            var number = 0
            // Use up the remaining space of the log.
            while try await store.append(source.tags(number..<(number + 1), byteCount: 3_000)).durability
                == .durable,
                number < 20_000
            {
                number += 1
                disk.fill(leaving: 0)
            }
            let delivered = try await store.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
            let held = source.tags(30_000..<30_003)
            let outcome = try await store.append(held, isHeld: true)
            #expect(outcome.durability == .memoryOnly)
            let later = source.tags(30_003..<30_004)
            try await store.append(later)
            func batch() async throws -> [[UInt8]] {
                try await store.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
                    .dropFirst(delivered.count).map(\.body)
            }
            #expect(try await batch() == later.map(\.body))
            let sequences = Array(try #require(outcome.sequences))
            let body = source.body(9)
            try await store.release([ReleasedTag(sequence: sequences[1], body: body)])
            #expect(try await batch() == [body, later[0].body])
            disk.release()
            clock.advance(by: .milliseconds(60_000))
            // On the disk, the others are still held.
            #expect(try await store.flush())
            #expect(try await batch() == [body, later[0].body])
            try await store.release(sequences.map { ReleasedTag(sequence: $0) })
            #expect(try await batch() == [held[0].body, body, held[2].body, later[0].body])
            await store.close()
        }
    }

    /// The disk has space again just before the buffer is closed, without another append.
    @Test func tagsInMemory_areWrittenOnClose_onceTheDiskHasSpace() async throws {
        try await withDisk(byteCount: 2_000_000) { disk in
            let clock = ManualClock()
            var source = BodySource(seed: 35)
            let store = try await TagBuffer.open(directory: disk.path, settings: Self.settings, clock: clock)
            try Self.freeReserve(in: disk.path)
            var offered = 0
            var durability = AppendOutcome.Durability.durable
            while durability == .durable, offered < 20_000 {
                disk.fill(leaving: 0)
                durability = try await store.append(source.tags(offered..<(offered + 1), byteCount: 3_000))
                    .durability
                offered += 1
            }
            #expect(store.totals().overflow > 0)
            disk.release()
            await store.close()
            #expect(store.totals().overflow == 0 && store.losses().memoryLost == 0)
            let again = try await TagBuffer.open(directory: disk.path, settings: Self.settings, clock: clock)
            #expect(again.findings == OpeningFindings())
            #expect(again.totals().accepted == Int64(offered) && again.losses().memoryLost == 0)
            try await expectConservation(again, offered: offered)
            await again.close()
        }
    }

    /// With the reserve, every append on a full disk is durable.
    ///
    /// Without it, some tags may be in memory only, but all are counted.
    @Test(arguments: [true, false])
    func fullDisk_withAndWithoutReserve_neverLosesTagsSilently(hasReserve: Bool) async throws {
        try await withDisk(byteCount: 3_000_000) { disk in
            var source = BodySource(seed: 33)
            var store = try await TagBuffer.open(
                directory: disk.path, settings: Self.settings, clock: ManualClock())
            var offered = 0
            for _ in 0..<20 {
                try await store.append(source.tags(offered..<(offered + 20)))
                offered += 20
            }
            if !hasReserve { try Self.freeReserve(in: disk.path) }
            disk.fill(leaving: 4_096)
            var inMemory = 0
            for _ in 0..<100 {
                let outcome = try await store.append(source.tags(offered..<(offered + 20)))
                offered += 20
                if outcome.durability == .memoryOnly { inMemory += 20 }
                #expect(store.totals().isBalanced)
            }
            if hasReserve { #expect(inMemory == 0) }
            #expect(store.totals().offered == Int64(offered))
            await store.close()
            disk.release()
            store = try await TagBuffer.open(
                directory: disk.path, settings: Self.settings, clock: ManualClock())
            #expect(store.findings.damage == nil)
            #expect(store.losses().damaged == 0)
            try await expectConservation(store)
            await store.close()
        }
    }

    // MARK: From process to process

    /// The disk is smaller than the limit.
    ///
    /// The store uses the available space, and each process continues the counts of the previous one.
    @Test(arguments: [StoreSettings.FullPolicy.evictOldest, .refuseNewest])
    func totals_onADiskSmallerThanTheLimit_continueAcrossProcesses(
        policy: StoreSettings.FullPolicy
    ) async throws {
        try await withDisk(byteCount: 1_500_000) { disk in
            var source = BodySource(seed: 34)
            let settings = StoreSettings(fullPolicy: policy)
            var before = StoreTotals()
            var offered = 0
            for process in 0..<3 {
                let store = try await TagBuffer.open(
                    directory: disk.path, settings: settings, clock: ManualClock())
                #expect(store.totals() == before, "process \(process)")
                var accepted = before.accepted
                for _ in 0..<80 {
                    let tags = source.tags(offered..<(offered + 50))
                    offered += 50
                    do throws(StoreError) {
                        let outcome = try await store.append(tags)
                        #expect(outcome.durability == .durable)
                        accepted += 50
                    } catch {
                        #expect(error == .full && policy == .refuseNewest, "\(error)")
                    }
                }
                #expect(store.totals().accepted == accepted)
                #expect(store.totals().offered == Int64(offered))
                #expect(store.losses().memoryLost == 0)
                #expect(policy == .refuseNewest || store.losses().evicted > before.losses.evicted)
                try await expectConservation(store, offered: offered)
                before = store.totals()
                await store.close()
            }
            #expect(policy == .evictOldest || before.refused > 0)
        }
    }

    /// The disk has no free byte, and tags are in memory when the process ends.
    ///
    /// They are lost, and every later process counts them.
    @Test func tagsInMemory_whenTheProcessEnds_areCountedAsLost() async throws {
        try await withDisk(byteCount: 2_000_000) { disk in
            var source = BodySource(seed: 35)
            var store = try await TagBuffer.open(
                directory: disk.path, settings: Self.settings, clock: ManualClock())
            try await store.append(source.tags(0..<10))
            await store.close()
            try Self.freeReserve(in: disk.path)
            disk.fill(leaving: 0)
            store = try await TagBuffer.open(
                directory: disk.path, settings: Self.settings, clock: ManualClock())
            var offered = 10
            var inMemory: Int64 = 0
            while inMemory < 40, offered < 20_000 {
                let outcome = try await store.append(source.tags(offered..<(offered + 4), byteCount: 3_000))
                offered += 4
                if outcome.durability == .memoryOnly { inMemory += 4 }
                disk.fill(leaving: 0)
            }
            #expect(inMemory > 0)
            let totals = store.totals()
            #expect(totals.overflow == inMemory)
            #expect(totals.accepted == Int64(offered) - inMemory, "a tag in memory is not accepted")
            #expect(totals.offered == Int64(offered) && totals.isBalanced)
            // The files as a kill at this moment would leave them.
            let copy = TestDirectory()
            try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
            for name in ["tags.sqlite", "tags.sqlite-wal", "high-water"] {
                try FileManager.default.copyItem(
                    atPath: disk.path + "/" + name, toPath: copy.path + "/" + name)
            }
            await store.close()
            #expect(store.losses().memoryLost == inMemory)
            #expect(store.totals().overflow == 0 && store.totals().offered == Int64(offered))
            for path in [copy.path, disk.path, disk.path] {
                store = try await TagBuffer.open(
                    directory: path, settings: Self.settings, clock: ManualClock())
                #expect(store.findings == OpeningFindings())
                #expect(store.losses().memoryLost == inMemory)
                #expect(store.totals().accepted == totals.accepted)
                try await expectConservation(store, offered: offered)
                let next = try await store.append([NewTag(body: [1])])
                if path == disk.path {
                    offered += 1
                    #expect(next.sequences?.lowerBound == Int64(offered))
                    if next.durability == .memoryOnly { inMemory += 1 }
                }
                await store.close()
            }
        }
    }

    /// Without a free byte, the store opens, delivers, acknowledges and appends tags, in each of several processes.
    @Test(arguments: [false, true])
    func store_onADiskWithoutAFreeByte_opensAndDelivers(isFilledWhileOpen: Bool) async throws {
        try await withDisk(byteCount: 8_000_000) { disk in
            var source = BodySource(seed: 36)
            var store = try await TagBuffer.open(
                directory: disk.path, settings: Self.settings, clock: ManualClock())
            var offered = 0
            for _ in 0..<40 {
                try await store.append(source.tags(offered..<(offered + 50)))
                offered += 50
                if isFilledWhileOpen, offered == 1_000 { disk.fill(leaving: 0) }
            }
            await store.close()
            for process in 0..<4 {
                disk.fill(leaving: 0)
                store = try await TagBuffer.open(
                    directory: disk.path, settings: Self.settings, clock: ManualClock())
                #expect(store.findings == OpeningFindings())
                try await expectConservation(store, offered: offered)
                for _ in 0..<2 {
                    disk.fill(leaving: 0)
                    let batch = try await store.nextBatch(maximumCount: 100, maximumByteCount: .max)
                    #expect(batch.count == 100)
                    try await store.acknowledge(
                        Acknowledgement(
                            delivered: batch.dropLast().map(\.sequence),
                            refused: [.init(sequence: batch[99].sequence, code: "no")],
                            deliveryState: [UInt8(process)]))
                }
                disk.fill(leaving: 0)
                #expect(try await store.append(source.tags(offered..<(offered + 50))).durability == .durable)
                offered += 50
                try await expectConservation(store, offered: offered)
                #expect(store.losses().memoryLost == 0)
                await store.close()
            }
        }
    }

    /// The space is that of the nearest existing parent folder, for relative and absolute paths.
    @Test func roomByteCount_ofAMissingFolder_isThatOfItsDisk() async throws {
        try await withDisk(byteCount: 1_500_000) { disk in
            for path in [disk.path, disk.path + "/new", disk.path + "/new/below"] {
                let room = StoreFolder(path: path).roomByteCount
                #expect((1_400_000...1_504_000).contains(room), "\(path): \(room)")
            }
        }
        for path in ["new", "new/below", "/new/below"] {
            #expect((1...1 << 60).contains(StoreFolder(path: path).roomByteCount), "\(path)")
        }
    }
}
