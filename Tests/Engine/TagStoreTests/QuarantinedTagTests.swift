import TestSupport
import Testing

@testable import TagStore

/// Tags in quarantine are in the buffer like others, but no batch has them until they are admitted.
@Suite(.timeLimit(.minutes(30))) struct QuarantinedTagTests {
    private static func batch(_ store: TagBuffer) async throws -> [[UInt8]] {
        try await store.nextBatch(maximumCount: 10_000, maximumByteCount: .max).map(\.body)
    }

    /// More rows than a step has, of tags and of other records, between rows of others.
    @Test(arguments: [true, false], [true, false])
    func quarantine_survivesReopening_andEndsForAllTagsOfTheBuffer(
        isDeleting: Bool, isReopened: Bool
    ) async throws {
        let directory = TestDirectory()
        var store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        let owners = [TagOwner.nobody, .records, TagOwner(channel: "one")]
        var expected: [[UInt8]] = []
        var others: [[UInt8]] = []
        for number in 0..<1_500 {
            let owner = owners[number % 3]
            let isFree = number % 7 == 0
            let body = Array("\(number)".utf8)
            expected.append(body)
            if isFree { others.append(body) }
            try await store.append(
                [NewTag(body: body, owner: isFree ? owner : owner.quarantined)], isHeld: false)
        }
        #expect(try await Self.batch(store) == others)
        if isReopened {
            await store.close()
            store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
            #expect(try await Self.batch(store) == others)
        }
        let count = Int64(expected.count - others.count)
        #expect(try await store.admit(deleting: isDeleting) == count)
        #expect(try await Self.batch(store) == (isDeleting ? others : expected))
        #expect(store.totals().losses.pruned == (isDeleting ? count : 0))
        #expect(try await store.admit(deleting: true) == 0)
        #expect(store.totals().isBalanced)
        #expect(try await store.verify().isIntact)
        await store.close()
    }

    @Test func quarantinedTag_expiresAndIsPrunedLikeAnyOther() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        let owner = TagOwner.nobody.quarantined
        try await store.append([NewTag(body: [1])], of: owner)
        clock.advance(by: .days(11))
        try await store.expire()
        #expect(store.totals().losses.expired == 1)
        try await store.append([NewTag(body: [2])], of: owner)
        #expect(try await store.prune(olderThan: .zero) == 1)
        await store.close()
    }

    /// A full buffer evicts the oldest tags, whatever their state, and the counts of its owners stay right.
    @Test func fullBuffer_evictsQuarantinedTags_andAcceptsNewOnes() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 61)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSettings(maximumByteCount: 2_000_000),
            clock: ManualClock())
        let (one, two) = (TagOwner(channel: "one"), TagOwner(channel: "two"))
        for owner in [one, two] { store.setEqualShares(2, of: owner) }
        for number in 0..<400 {
            let tags = source.tags(number * 20..<number * 20 + 20)
            try await store.append(tags, of: number % 2 == 0 ? one.quarantined : two)
        }
        #expect(store.totals().losses.evicted > 1_000)
        let before = store.totals().inStore
        #expect(try await store.admit(deleting: false) > 0)
        for number in 400..<500 {
            try await store.append(source.tags(number * 20..<number * 20 + 20), of: two)
        }
        #expect(store.totals().isBalanced && store.totals().inStore > before / 2)
        await store.close()
    }
}
