import HostSystem
import TestSupport
import Testing

@testable import TagStore

extension DiskFullTests {
    /// On a disk with few or no free bytes, the tags are in memory and can be delivered.
    ///
    /// They are written to the disk later.
    @Test(arguments: [0, 4_096, 12_288, 40_960])
    func newBuffer_onAFullDisk_startsInMemory_andIsCreatedOnceThereIsSpace(free: Int) async throws {
        try await withDisk(byteCount: 2_000_000) { disk in
            disk.fill(leaving: free)
            let clock = ManualClock()
            var source = BodySource(seed: 36)
            let store = try await TagBuffer.open(directory: disk.path, settings: Self.settings, clock: clock)
            #expect(store.findings == OpeningFindings())
            #expect(try await store.bookmark(of: "one", in: "one") == nil)
            #expect(try await store.recentTags(of: "one") == [])
            #expect(try await store.deliveryState() == [])
            #expect(try await store.nextBatch(maximumCount: 10, maximumByteCount: .max) == [])
            for count in 0..<20 {
                clock.advance(by: .milliseconds(300))
                let outcome = try await store.append(source.tags(count * 10..<(count * 10 + 10)))
                if free == 0 { #expect(outcome.durability == .memoryOnly) }
            }
            #expect(try await store.status().state != .normal)
            let batch = try await store.nextBatch(maximumCount: 50, maximumByteCount: .max)
            #expect(batch.map(\.sequence) == Array(1...50))
            try await store.acknowledge(
                Acknowledgement(delivered: batch.map(\.sequence), deliveryState: [1, 2]))
            #expect(store.totals().delivered == 50 && store.totals().isBalanced)
            let id = store.id
            disk.release()
            clock.advance(by: .milliseconds(60_000))
            #expect(try await store.append(source.tags(200..<201)).durability == .durable)
            #expect(try await store.status().state == .normal && store.totals().overflow == 0)
            try await expectConservation(store, offered: 201)
            await store.close()
            let again = try await TagBuffer.open(directory: disk.path, settings: Self.settings, clock: clock)
            #expect(again.findings == OpeningFindings() && again.id == id)
            #expect(again.losses().total == 0 && again.totals().delivered == 50)
            try await expectConservation(again, offered: 201)
            await again.close()
        }
    }

    /// If the disk stays full until the buffer is closed, the tags in memory are lost.
    ///
    /// The next process counts them too.
    @Test func newBuffer_onADiskThatStaysFull_losesItsTags_andCountsThem() async throws {
        try await withDisk(byteCount: 2_000_000) { disk in
            // One page for the lock and one for the high-water mark.
            disk.fill(leaving: 8_192)
            var source = BodySource(seed: 37)
            let store = try await TagBuffer.open(
                directory: disk.path, settings: Self.settings, clock: ManualClock())
            try await store.append(source.tags(0..<10))
            await store.close()
            #expect(store.losses().memoryLost == 10 && store.totals().isBalanced)
            disk.release()
            let again = try await TagBuffer.open(
                directory: disk.path, settings: Self.settings, clock: ManualClock())
            #expect(again.findings == OpeningFindings())
            #expect(again.losses().memoryLost == 10)
            try await again.append(source.tags(10..<20))
            try await expectConservation(again, offered: 20)
            await again.close()
        }
    }

    /// The tries to open the database are at least a second apart, unless a caller asks about the disk.
    @Test(arguments: [false, true])
    func flush_whileTheDatabaseIsClosed_opensItAtOnce(hasTagInMemory: Bool) async throws {
        try await withDisk(byteCount: 2_000_000) { disk in
            disk.fill(leaving: 0)
            var source = BodySource(seed: 38)
            let store = try await TagBuffer.open(
                directory: disk.path, settings: Self.settings, clock: ManualClock())
            if hasTagInMemory { try await store.append(source.tags(0..<1)) }
            await #expect(throws: StoreError.self) { try await store.expire() }
            // Without a tag in memory, nothing is missing on the disk.
            #expect(try await store.flush() == !hasTagInMemory)
            disk.release()
            await #expect(throws: StoreError.self) { try await store.expire() }
            #expect(try await store.flush())
            try await store.expire()
            #expect(try await store.append(source.tags(1..<2)).durability == .durable)
            await store.close()
        }
    }
}
