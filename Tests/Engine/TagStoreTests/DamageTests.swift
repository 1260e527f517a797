import Foundation
import Glibc
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// Single bits are flipped in each file of a store.
///
/// Every delivered tag must be correct, and every missing tag must be counted.
@Suite(.timeLimit(.minutes(30))) struct DamageTests {
    /// Copies of the files of a store, and the tags that it contained.
    private struct Sample {
        var files: [String: [UInt8]] = [:]
        var bodies: [TagID: [UInt8]] = [:]
        var offered = 0
    }

    private static let names = ["tags.sqlite", "tags.sqlite-wal", "high-water"]

    /// Returns the files of a store with `tagCount` tags.
    ///
    /// Unless `checkpointed` is true, the log still contains the last tags, as after `kill -9`.
    private func sample(tagCount: Int, checkpointed: Bool) async throws -> Sample {
        let directory = TestDirectory()
        var source = BodySource(seed: 21)
        var sample = Sample()
        let settings = StoreSettings(maximumByteCount: 2_000_000)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        for start in stride(from: 0, to: tagCount, by: 20) {
            let tags = source.tags(start..<(start + 20))
            try await store.append(tags)
            for tag in tags { sample.bodies[tag.id] = tag.body }
        }
        sample.offered = tagCount
        if checkpointed { await store.close() }
        for name in Self.names {
            let path = directory.path + "/" + name
            if FileSystem.byteCount(of: path) != nil {
                sample.files[name] = try FileSystem.firstBytes(of: path, 4_000_000)
            }
        }
        if !checkpointed { await store.close() }
        return sample
    }

    /// Opens a copy of the sample with one flipped bit, and returns the numbers of tags found and counted as damaged.
    private func open(_ sample: Sample, flipping bit: Int, of name: String) async throws -> (
        found: Int, damaged: Int64
    ) {
        let directory = TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        for (file, bytes) in sample.files {
            var bytes = bytes
            if file == name { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }
            try Data(bytes).write(to: URL(fileURLWithPath: directory.path + "/" + file))
        }
        let settings = StoreSettings(maximumByteCount: 2_000_000)
        let clock = ManualClock()
        let store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
        var found = 0
        while true {
            let batch = try await store.nextBatch(maximumCount: 500, maximumByteCount: .max)
            if batch.isEmpty { break }
            for tag in batch {
                #expect(sample.bodies[tag.id] == tag.body, "a wrong tag: bit \(bit) of \(name)")
            }
            found += batch.count
            try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
        }
        let outcome = try await store.append([NewTag(body: [1])])
        #expect(outcome.durability == .durable)
        let totals = store.totals()
        #expect(totals.isBalanced, "bit \(bit) of \(name): \(totals)")
        #expect(directory.byteCount <= settings.maximumByteCount)
        let verification = try await store.verify()
        #expect(verification.isIntact, "bit \(bit) of \(name): \(verification)")
        await store.close()
        return (found, totals.losses.damaged)
    }

    /// Every seventh bit of the file header and of the schema root's page header, and a spread of bits over the rest.
    @Test func bitFlip_inTheDatabase_deliversNoWrongTag() async throws {
        let sample = try await sample(tagCount: 300, checkpointed: true)
        let bitCount = try #require(sample.files["tags.sqlite"]).count * 8
        let bits =
            Array(stride(from: 0, to: 112 * 8, by: 7)) + Array(stride(from: 1_001, to: bitCount, by: 2_503))
        var whole = 0
        var damagedTotal: Int64 = 0
        for bit in bits {
            let (found, damaged) = try await open(sample, flipping: bit, of: "tags.sqlite")
            whole += found
            damagedTotal += damaged
            #expect(found + Int(damaged) >= sample.offered, "bit \(bit): \(found) found, \(damaged) counted")
        }
        #expect(damagedTotal > 0, "no flip did any harm: the test flips nothing")
        #expect(whole > bits.count * sample.offered * 9 / 10, "\(whole) of \(bits.count * sample.offered)")
    }

    /// After a flip in the log, SQLite drops all later commits.
    ///
    /// The intact ones are still read, and the high-water mark records how many tags there must be.
    @Test func bitFlip_inTheLog_countsEveryLostTag() async throws {
        let sample = try await sample(tagCount: 100, checkpointed: false)
        let log = try #require(sample.files["tags.sqlite-wal"])
        #expect(log.count > 20_000)
        var dropped = 0
        for bit in stride(from: 5, to: log.count * 8, by: log.count * 8 / 150) {
            let (found, damaged) = try await open(sample, flipping: bit, of: "tags.sqlite-wal")
            #expect(found + Int(damaged) == sample.offered, "bit \(bit): \(found) found, \(damaged) counted")
            dropped += damaged > 0 ? 1 : 0
        }
        #expect(dropped > 0, "no flip did any harm: the test flips nothing")
    }

    @Test func bitFlip_inTheHighWaterMark_losesNothing() async throws {
        let sample = try await sample(tagCount: 20, checkpointed: true)
        let mark = try #require(sample.files["high-water"])
        #expect(mark.count == HighWaterMark.byteCount + OverflowMark.byteCount)
        for bit in 0..<(mark.count * 8) {
            let (found, damaged) = try await open(sample, flipping: bit, of: "high-water")
            #expect(found == 20)
            #expect(damaged == 0)
        }
    }

    /// Each file is truncated to many lengths, with a wrong byte at its end: the store opens, and every tag is
    /// accounted for.
    @Test(arguments: ["tags.sqlite", "tags.sqlite-wal", "high-water"])
    func store_withATruncatedFile_opensAndAccountsForEveryTag(name: String) async throws {
        let sample = try await sample(tagCount: 100, checkpointed: name == "tags.sqlite")
        let bytes = try #require(sample.files[name])
        for length in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 24)) {
            var cut = sample
            cut.files[name] = Array(bytes.prefix(length)) + [0]
            let (found, damaged) = try await open(cut, flipping: length * 8, of: name)
            #expect(
                found + Int(damaged) >= sample.offered, "cut at \(length): \(found) found, \(damaged) counted"
            )
        }
    }

    /// A damaged row is dropped and counted, and does not affect the others.
    @Test func damagedRow_isCountedAndSkipped() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 22)
        let tags = source.tags(0..<50)
        var store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await store.append(tags)
        await store.close()
        do {
            let connection = try SQLiteConnection(path: directory.path + "/tags.sqlite")
            try connection.run("PRAGMA locking_mode=EXCLUSIVE")
            try connection.run("UPDATE tag SET body = zeroblob(length(body)) WHERE seq IN (3, 4, 50)")
            try connection.run("UPDATE tag SET received_wall = received_wall + 1 WHERE seq = 7")
            try connection.run("UPDATE tag SET encoding = 99 WHERE seq = 9")
        }
        store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        let before = try await store.verify()
        #expect(before.damagedSequences == [3, 4, 7, 9])
        #expect(store.losses().damaged == 1, "the last row is looked at when the store is opened")
        let batch = try await store.nextBatch(maximumCount: 500, maximumByteCount: .max)
        let whole = tags.indices.filter { ![2, 3, 6, 8, 49].contains($0) }.map { tags[$0].id }
        #expect(batch.map(\.id) == whole)
        #expect(store.losses().damaged == 5)
        #expect(try await store.append([NewTag(body: [1])]).sequences == 51...51)
        try await expectConservation(store, offered: 51)
        await store.close()
    }

    /// A database that fails its check is set aside, and its intact rows are salvaged within the size limit.
    @Test func database_withADamagedPage_isSalvaged() async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 23)
        let settings = StoreSettings(maximumByteCount: 4_000_000)
        var store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        let id = store.id
        var bodies: [TagID: [UInt8]] = [:]
        // The buffer is full, so the damaged and the new database do not both fit.
        while store.losses().evicted == 0 {
            let tags = (0..<100).map { _ in NewTag(body: random.bytes(200)) }
            try await store.append(tags)
            for tag in tags { bodies[tag.id] = tag.body }
        }
        try await store.acknowledge(Acknowledgement(deliveryState: [7]))
        let inStore = store.totals().inStore
        let offered = Int(store.totals().offered)
        await store.close()
        let path = directory.path + "/tags.sqlite"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for page in [40, 200] {
            for offset in 0..<64 { bytes[page * 4_096 + offset] = UInt8(truncatingIfNeeded: offset &* 77) }
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: ManualClock())
        #expect(store.findings.damage != nil)
        #expect(store.findings.salvagedCount > inStore * 9 / 10)
        #expect(store.findings.missingCount > 0)
        #expect(store.id == id)
        #expect(try await store.deliveryState() == [7])
        #expect(directory.byteCount <= settings.maximumByteCount)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/tags.damaged"))
        for tag in try await store.tags(maximumCount: 10_000) { #expect(bodies[tag.id] == tag.body) }
        try await expectConservation(store, offered: offered)
        await store.close()
    }

    /// Even without the high-water mark, the rows after a damaged page in the middle of the tree are found.
    @Test func database_withADamagedPageAndNoHighWaterMark_isSalvagedAfterThePage() async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 25)
        var store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        for _ in 0..<20 { try await store.append((0..<100).map { _ in NewTag(body: random.bytes(200)) }) }
        await store.close()
        let path = directory.path + "/tags.sqlite"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for offset in 0..<4_096 { bytes[40 * 4_096 + offset] = 0xEE }
        try bytes.write(to: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: directory.path + "/high-water")
        store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(store.findings.damage != nil)
        #expect(store.findings.salvagedCount > 1_900)
        #expect(store.findings.salvagedCount + store.findings.missingCount == 2_000)
        #expect(try await store.tags(after: 1_999, maximumCount: 1).count == 1)
        try await expectConservation(store, offered: 2_000)
        await store.close()
    }

    /// The database is damaged while the store is open, and the store continues with the intact rows.
    @Test func database_damagedWhileOpen_isSalvagedAndAcceptsAppends() async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 24)
        let settings = StoreSettings(maximumByteCount: 8_000_000)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        var bodies: [TagID: [UInt8]] = [:]
        for _ in 0..<180 {
            let tags = (0..<100).map { _ in NewTag(body: random.bytes(200)) }
            try await store.append(tags)
            for tag in tags { bodies[tag.id] = tag.body }
        }
        let file = try FileDescriptor(path: directory.path + "/tags.sqlite", options: .readingAndWriting)
        // Pages that SQLite's cache of 2 MB no longer contains.
        for page in 30..<34 {
            try file.write(random.bytes(4_096).span, at: page * 4_096)
        }
        var found = 0
        var position: Int64 = 0
        while let page = try await store.tags(after: position, maximumCount: 500).nonEmpty {
            for tag in page { #expect(bodies[tag.id] == tag.body) }
            found += page.count
            position = page[page.count - 1].sequence
        }
        #expect(found < 18_000)
        #expect(found > 17_000)
        #expect(store.losses().damaged == Int64(18_000 - found))
        #expect(try await store.append([NewTag(body: [1])]).durability == .durable)
        #expect(directory.byteCount <= settings.maximumByteCount)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/tags.damaged"))
        try await expectConservation(store, offered: 18_001)
        await store.close()
        let again = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        #expect(again.findings == OpeningFindings())
        try await expectConservation(again, offered: 18_001)
        await again.close()
    }
}
