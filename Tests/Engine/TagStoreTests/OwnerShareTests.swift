import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// Owners that share a buffer: an owner above its share loses its own tags first.
@Suite(.timeLimit(.minutes(30))) struct OwnerShareTests {
    private static let settings = StoreSettings(maximumByteCount: 4_000_000)

    private static func owner(_ name: String) -> TagOwner { TagOwner(channel: name) }

    /// Returns the number of tags per owner; each body starts with the name of its owner.
    private static func counts(_ store: TagBuffer) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        var last: Int64 = 0
        while true {
            let tags = try await store.tags(after: last, maximumCount: 10_000)
            guard let end = tags.last?.sequence else { return counts }
            last = end
            for tag in tags {
                let name = String(decoding: tag.body.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
                counts[name, default: 0] += 1
            }
        }
    }

    private static func tags(_ count: Int, of name: String, _ random: inout SplitMix64) -> [NewTag] {
        (0..<count).map { _ in
            NewTag(
                id: TagID(high: random.next(), low: random.next()),
                body: Array(name.utf8) + [UInt8(ascii: " ")] + random.bytes(250))
        }
    }

    /// Quiet owners keep all tags, the files stay within the limit, and only the flooding owner is reported.
    @Test(arguments: [1, 9, 40])
    func floodingOwner_losesOnlyItsOwnTags(quietCount: Int) async throws {
        let directory = TestDirectory()
        let quiet = (0..<quietCount).map { "quiet\($0)" }
        var random = SplitMix64(state: 71)
        var offered = 0
        var store = try await TagBuffer.open(
            directory: directory.path, settings: Self.settings, clock: ManualClock())
        func share() {
            for name in quiet + ["loud"] { store.setEqualShares(2, of: Self.owner(name)) }
        }
        share()
        for round in 0..<300 {
            try await store.append(Self.tags(100, of: "loud", &random), of: Self.owner("loud"))
            offered += 100
            if round % 10 == 0 {
                for name in quiet {
                    try await store.append(Self.tags(1, of: name, &random), of: Self.owner(name))
                    offered += 1
                }
            }
            if round == 200 {
                #expect(store.takeLosingOwners() == [Self.owner("loud")])
                #expect(store.takeLosingOwners() == [])
                // The owners are read from the rows, not from the memory of the process.
                await store.close()
                store = try await TagBuffer.open(
                    directory: directory.path, settings: Self.settings, clock: ManualClock())
                share()
            }
        }
        #expect(directory.byteCount <= Self.settings.maximumByteCount)
        var counts = try await Self.counts(store)
        let loud = counts.removeValue(forKey: "loud") ?? 0
        #expect(counts == Dictionary(uniqueKeysWithValues: quiet.map { ($0, 30) }))
        #expect(loud > 4_000 && store.losses().evicted == Int64(30_000 - loud))
        #expect(store.losses().total == store.losses().evicted)
        #expect(store.takeLosingOwners() == [Self.owner("loud")])
        try await expectConservation(store, offered: offered)
        await store.close()
    }

    /// A single owner may use the whole buffer, with or without shares.
    @Test(arguments: [false, true]) func onlyOwner_usesTheEntireBuffer(hasShares: Bool) async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 72)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: Self.settings, clock: ManualClock())
        if hasShares { store.setEqualShares(2, of: Self.owner("one")) }
        for _ in 0..<200 {
            try await store.append(Self.tags(100, of: "one", &random), of: Self.owner("one"))
        }
        #expect(try await Self.counts(store)["one", default: 0] > 8_000)
        #expect(store.takeLosingOwners() == [])
        await store.close()
    }

    /// If no owner is above its share, the oldest tags are evicted regardless of their owner.
    @Test func owners_withinTheirShares_loseTheOldestTags() async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 73)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: Self.settings, clock: ManualClock())
        let names = ["a", "b", "c", "d"]
        for name in names { store.setEqualShares(2, of: Self.owner(name)) }
        for _ in 0..<600 {
            for name in names {
                try await store.append(Self.tags(10, of: name, &random), of: Self.owner(name))
            }
        }
        #expect(store.takeLosingOwners() == [] && store.losses().evicted > 0)
        let counts = try await Self.counts(store)
        #expect((counts.values.max() ?? 0) - (counts.values.min() ?? 0) <= 500, "\(counts)")
        let oldest = try await store.tags(maximumCount: 1)
        #expect(oldest.first?.sequence == store.losses().evicted + 1)
        await store.close()
    }

    /// A larger share lets its owner keep more tags.
    @Test func owner_withALargerShare_retainsMoreTags() async throws {
        var kept: [Int] = []
        for shares in [1.0, 8] {
            let directory = TestDirectory()
            var random = SplitMix64(state: 74)
            let store = try await TagBuffer.open(
                directory: directory.path, settings: Self.settings, clock: ManualClock())
            for name in ["a", "b"] { store.setEqualShares(1, of: Self.owner(name)) }
            store.setEqualShares(shares, of: Self.owner("loud"))
            for _ in 0..<200 {
                for name in ["a", "b", "loud"] {
                    let count = name == "loud" ? 100 : 30
                    try await store.append(Self.tags(count, of: name, &random), of: Self.owner(name))
                }
            }
            kept.append(try await Self.counts(store)["loud", default: 0])
            await store.close()
        }
        #expect(kept[0] < kept[1] * 2 / 3, "\(kept)")
    }

    private static func records(_ count: Int, _ random: inout SplitMix64) -> [NewTag] {
        tags(count, of: "record", &random).map { NewTag(id: $0.id, body: $0.body, owner: .records) }
    }

    /// A flood of records evicts only records while the tags use at most seven eighths.
    ///
    /// The owners are read from the rows.
    @Test(arguments: [StoreSettings.FullPolicy.evictOldest, .refuseNewest])
    func floodOfRecords_evictsNoTag(policy: StoreSettings.FullPolicy) async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 75)
        var settings = Self.settings
        settings.fullPolicy = policy
        var store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        for _ in 0..<50 { try await store.append(Self.tags(100, of: "tag", &random)) }
        for round in 0..<400 {
            // A session writes both in one append.
            let appended = Self.records(60, &random) + Self.tags(1, of: "tag", &random)
            try await store.append(appended)
            if round == 200 {
                await store.close()
                store = try await TagBuffer.open(
                    directory: directory.path, settings: settings, clock: ManualClock())
            }
        }
        #expect(directory.byteCount <= settings.maximumByteCount)
        let counts = try await Self.counts(store)
        #expect(counts["tag"] == 5_000 + 400)
        #expect(store.losses().evicted == Int64(400 * 60 - counts["record", default: 0]))
        #expect(store.losses().evicted > 10_000)
        try await expectConservation(store, offered: 5_000 + 400 * 61)
        await store.close()
    }

    @Test func records_inABufferFullOfTags_useAnEighth() async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 76)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: Self.settings, clock: ManualClock())
        for _ in 0..<150 { try await store.append(Self.tags(100, of: "tag", &random)) }
        let before = try await Self.counts(store)["tag", default: 0]
        for _ in 0..<400 { try await store.append(Self.records(50, &random)) }
        let counts = try await Self.counts(store)
        let (tags, records) = (counts["tag", default: 0], counts["record", default: 0])
        // Both kinds of rows have the same size. A step deletes up to 500 rows.
        #expect(records > 500 && records <= (tags + records) / 8 + 500, "\(counts)")
        #expect(tags >= before * 7 / 8 - 1_000, "\(counts)")
        await store.close()
    }

    /// Tags in flight are protected from eviction, which finds them again when they return undelivered.
    @Test func tagsInFlight_areNotEvicted() async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 75)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: Self.settings, clock: ManualClock())
        for name in ["loud", "quiet"] { store.setEqualShares(2, of: Self.owner(name)) }
        try await store.append(Self.tags(20, of: "quiet", &random), of: Self.owner("quiet"))
        for _ in 0..<4 {
            try await store.append(Self.tags(100, of: "loud", &random), of: Self.owner("loud"))
        }
        let batch = try await store.nextBatch(maximumCount: 420, maximumByteCount: .max)
        #expect(batch.count == 420)
        for _ in 0..<200 {
            try await store.append(Self.tags(100, of: "loud", &random), of: Self.owner("loud"))
        }
        #expect(store.losses().evicted > 0)
        let first = try await store.tags(maximumCount: 420)
        #expect(first.map(\.id) == batch.map(\.id))
        // The batch returns undelivered.
        try await store.acknowledge(Acknowledgement(delivered: []))
        _ = try await store.nextBatch(maximumCount: 1, maximumByteCount: .max)
        for _ in 0..<200 {
            try await store.append(Self.tags(100, of: "loud", &random), of: Self.owner("loud"))
        }
        #expect(try await Self.counts(store)["quiet"] == 20)
        #expect(store.losses().total == store.losses().evicted)
        await store.close()
    }

    private static func database(in directory: TestDirectory) throws -> TagDatabase {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        return try TagDatabase(
            path: directory.path + "/tags.sqlite", budget: StoreBudget(maximumByteCount: 30_000_000),
            synchronous: .normal)
    }

    /// Appends a row of each owner, in order, with the sequences from 1.
    private static func append(_ owners: [TagOwner], to database: TagDatabase) throws {
        try database.tags.countUse(maximumRowCount: .max >> 1)
        try database.transaction { () throws(SQLiteFailure) in
            for (index, owner) in owners.enumerated() {
                let fields = RowFields(
                    sequence: Int64(index + 1), id: TagID(high: 1, low: 2), receivedWall: 1, receivedBoot: 1,
                    epoch: 1, encoding: owner.column(encoding: 0))
                try database.tags.append(StoredRow(fields: fields, body: [1, 2, 3]))
            }
        }
    }

    /// The search for the oldest row of an owner starts after the last deletion, so that it does not pass the rows in
    /// flight again, and from the beginning once it has found none.
    @Test func deletionOfTheOldest_startsAfterTheLastOne() throws {
        let directory = TestDirectory()
        let database = try Self.database(in: directory)
        let (owner, other) = (Self.owner("loud"), Self.owner("quiet"))
        try Self.append([owner, owner, other, owner, owner, other], to: database)
        let all: [ClosedRange<Int64>] = [1...6]
        func delete(_ ranges: [ClosedRange<Int64>]) throws -> Int64 {
            try database.transaction { () throws(SQLiteFailure) in
                try database.tags.deleteOldest(of: owner, in: ranges)
            }
        }
        // The first rows are in flight.
        #expect(try delete([4...4]) == 1)
        #expect(database.tags.use?.firstSequences == [owner: 5])
        #expect(try delete(all) == 1)
        #expect(try delete(all) == 0)
        #expect(database.tags.use?.firstSequences == [owner: 0])
        #expect(try delete(all) == 2)
        #expect(try delete(all) == 0)
        #expect(database.tags.use?.firstSequences == [:])
    }

    /// The ways in which the last row of an owner is deleted.
    enum LastDeletion: CaseIterable {
        case ofTheOwner, ofARange, ofTheOldest
    }

    /// Channels that come and go leave no sequence behind.
    @Test(arguments: LastDeletion.allCases)
    func ownerWithoutRows_hasNoFirstSequence(deletion: LastDeletion) throws {
        let directory = TestDirectory()
        let database = try Self.database(in: directory)
        let tags = database.tags
        let owners = (0..<100).map { Self.owner("\($0)") }
        try Self.append(owners + owners, to: database)
        try database.transaction { () throws(SQLiteFailure) in
            for owner in owners { _ = try tags.deleteOldest(of: owner, in: [1...100]) }
        }
        #expect(tags.use?.firstSequences.count == 100)
        try database.transaction { () throws(SQLiteFailure) in
            switch deletion {
            case .ofTheOwner: for owner in owners { _ = try tags.deleteOldest(of: owner, in: [101...200]) }
            case .ofARange: _ = try tags.delete(101...200)
            case .ofTheOldest: while try tags.deleteOldest(in: 101...200) > 0 {}
            }
        }
        #expect(tags.use?.byteCounts == [:])
        #expect(tags.use?.firstSequences == [:])
        // A search for rows that do not exist leaves none either.
        try database.transaction { () throws(SQLiteFailure) in
            for owner in owners { _ = try tags.deleteOldest(of: owner, in: [1...200]) }
        }
        #expect(tags.use?.firstSequences == [:])
    }

    /// After any insertions and deletions, the maintained count equals a new one.
    @Test func use_afterAnyChange_equalsARecount() throws {
        let directory = TestDirectory()
        let database = try Self.database(in: directory)
        let tags = database.tags
        var random = SplitMix64(state: 76)
        let owners = (0..<5).map { Self.owner("\($0)") } + [.nobody]
        var sequence: Int64 = 0
        var countings = 0
        for round in 0..<2_000 {
            let first = Int64(random.next() % UInt64(sequence + 1))
            let owner = owners[Int(random.next() % 6)]
            try database.transaction { () throws(SQLiteFailure) in
                switch random.next() % 8 {
                case 0: _ = try tags.delete(first...first + 3)
                case 1: _ = try tags.deleteOldest(in: first...first + 2)
                case 2: _ = try tags.deleteOldest(of: owner, in: [first...first + 20])
                case 3: try tags.replaceBody(of: first, with: random.bytes(round % 300).span, encoding: 1)
                case 4: try tags.countUse(maximumRowCount: 100)
                default:
                    sequence += 1
                    let fields = RowFields(
                        sequence: sequence, id: TagID(high: 1, low: 2), receivedWall: 1, receivedBoot: 1,
                        epoch: 1, encoding: owner.column(encoding: 0))
                    try tags.append(StoredRow(fields: fields, body: random.bytes(round % 200)))
                }
            }
            guard let kept = tags.use, kept.isComplete else { continue }
            tags.forgetUse()
            try tags.countUse(maximumRowCount: .max >> 1)
            let counted = try #require(tags.use)
            #expect(kept.byteCounts == counted.byteCounts)
            #expect(Set(kept.firstSequences.keys).isSubset(of: kept.byteCounts.keys))
            countings += 1
            // Every other time, the count restarts.
            if round % 2 == 0 { tags.forgetUse() }
        }
        #expect(countings > 100)
        // A failed transaction discards the count.
        try tags.countUse(maximumRowCount: .max >> 1)
        #expect(throws: SQLiteFailure.self) {
            try database.transaction { () throws(SQLiteFailure) in
                _ = try tags.delete(0...sequence)
                throw SQLiteFailure(damage: "a test")
            }
        }
        #expect(tags.use == nil)
    }

    /// The shares also apply to tags in memory while the disk is full or read-only.
    @Test func overflow_withAFloodingOwner_retainsTagsOfOthers() {
        let shares = OwnerShares()
        for name in ["loud", "quiet"] { shares.set(2, of: Self.owner(name)) }
        let overflow = Overflow(maximumByteCount: 100_000, policy: .evictOldest, shares: shares)
        var random = SplitMix64(state: 77)
        var losing: Set<TagOwner> = []
        for round in 0..<2_000 {
            let owner = Self.owner(round % 100 == 0 ? "quiet" : "loud")
            let fields = RowFields(
                sequence: Int64(round), id: TagID(high: 1, low: 2), receivedWall: 1, receivedBoot: 1,
                epoch: 1, encoding: owner.column(encoding: 0))
            losing.formUnion(overflow.add([StoredRow(fields: fields, body: random.bytes(250))]))
            #expect(overflow.byteCount <= 100_000)
        }
        #expect(losing == [Self.owner("loud")])
        let quiet = overflow.rows.filter { $0.fields.owner == Self.owner("quiet") }
        #expect(quiet.map(\.fields.sequence) == (0..<20).map { Int64($0 * 100) })
        let loud = overflow.rows.filter { $0.fields.owner == Self.owner("loud") }.map(\.fields.sequence)
        let newest = (Int64(0)..<2_000).filter { !$0.isMultiple(of: 100) }.suffix(loud.count)
        #expect(loud.count > 200 && loud == Array(newest))
    }

    /// Another owner has filled the queue.
    @Test func fullQueue_acceptsTheOnlyAppendOfAnOwner() async {
        var queue = AppendQueue(interval: .zero)
        var answered = 0
        func add(_ owner: TagOwner, _ byteCount: Int) async -> AppendQueue.Action {
            let append = EncodedAppend(
                entries: [], bytes: [UInt8](repeating: 0, count: byteCount), owner: owner, receivedWall: 0,
                receivedBoot: 0)
            var action = AppendQueue.Action.refuse
            _ = await withCheckedContinuation { answer in
                action = queue.add(AppendQueue.Waiting(append: append, answer: answer))
                // This test does not use the outcome.
                answer.resume(returning: .failure(.closed))
                answered += 1
            }
            return action
        }
        #expect(await add(Self.owner("loud"), AppendQueue.maximumByteCount) == .beginCommit)
        #expect(await add(Self.owner("loud"), 1) == .refuse)
        #expect(await add(.nobody, 1) == .refuse)
        #expect(await add(Self.owner("quiet"), 1) == .none)
        #expect(await add(Self.owner("quiet"), 1) == .refuse)
        #expect(
            await add(Self.owner("third"), AppendQueue.maximumByteCountOfOnlyOnes) == .refuse)
        _ = queue.takeGroup(rowCount: 10, byteCount: .max, at: .now)
        #expect(await add(Self.owner("quiet"), 1) == .none)
        #expect(answered == 7)
    }

    @Test func owner_isStableAcrossProcesses_andNeverNobody() {
        #expect(Self.owner("a") == TagOwner(ofColumn: Self.owner("a").column(encoding: 3)))
        #expect(Self.owner("a").column(encoding: 3) == 0x68B7_BE43 << 32 | 3)
        #expect(BodyEncoding.value(ofColumn: Self.owner("b").column(encoding: 7)) == 7)
        #expect(Self.owner("a") != Self.owner("b") && Self.owner("") != .nobody)
        #expect(TagOwner(ofColumn: 2) == .nobody && TagOwner(ofColumn: -1) != .nobody)
    }

    /// A buffer without a monitor, which would take the owners each second.
    @Test func losingOwners_thatAreNeverTaken_areLimited() {
        let published = PublishedTotals()
        for number in 0..<10_000 { published.recordLoss(of: TagOwner(channel: "\(number)")) }
        #expect(published.takeLosing().count == PublishedTotals.maximumLosingCount)
        published.recordLoss(of: Self.owner("a"))
        #expect(published.takeLosing() == [Self.owner("a")])
    }
}
