import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// A channel that floods a shared buffer, with any rate, size of its tags, size of its groups, and size of the buffer.
@Suite(.timeLimit(.minutes(30))) struct FairShareGridTests {
    /// One flood.
    struct Flood: Sendable, CustomTestStringConvertible {
        /// The bytes of a tag, which do not compress.
        let tagByteCount: Int
        /// The tags of an append.
        let tagCount: Int
        /// The appends that wait at the same time, and share commits with one of each quiet channel.
        let appendCount: Int
        /// The size limit of the buffer.
        let bufferByteCount: Int
        /// The quiet channels, each with a tag for each group of the flood.
        let quietCount: Int

        var testDescription: String {
            "\(tagCount) tags of \(tagByteCount), \(appendCount) appends, \(quietCount) quiet, \(bufferByteCount)"
        }

        static let small: [Flood] =
            [20, 250, 7_800].flatMap { size in
                [1, 12, 2_000].flatMap { count in
                    [1, 8].flatMap { appends in
                        [(2_000_000, 2), (2_000_000, 60), (6_000_000, 2)].map { buffer, quiet in
                            Flood(
                                tagByteCount: size, tagCount: count, appendCount: appends,
                                bufferByteCount: buffer, quietCount: quiet)
                        }
                    }
                }
            }
            .filter { $0.groupByteCount < 3 * $0.bufferByteCount }

        /// A buffer with more than 100,000 tags.
        static let large = Flood(
            tagByteCount: 100, tagCount: 2_000, appendCount: 1, bufferByteCount: 30_000_000, quietCount: 2)

        /// The approximate size of the rows of a group.
        var groupByteCount: Int { (tagByteCount + EncodedAppend.fieldByteCount) * tagCount * appendCount }
    }

    private static let loud = TagOwner(channel: "loud")

    private static func tags(_ count: Int, _ byteCount: Int, _ random: inout SplitMix64) -> [NewTag] {
        let body = random.bytes(byteCount)
        return (0..<count).map { _ in
            NewTag(id: TagID(high: random.next(), low: random.next()), body: body)
        }
    }

    /// The quiet channels lose nothing, and every tag is accounted for.
    @Test(arguments: Flood.small + [Flood.large])
    func flood_ofOneChannel_evictsOnlyItsOwnTags(flood: Flood) async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSettings(maximumByteCount: flood.bufferByteCount),
            clock: ManualClock())
        let quiet = (0..<flood.quietCount).map { TagOwner(channel: "quiet\($0)") }
        for owner in quiet + [Self.loud] { store.setEqualShares(2, of: owner) }
        var random = SplitMix64(state: UInt64(flood.tagByteCount + flood.tagCount))
        // The quiet tags come first, so that they are the oldest.
        var expected: Set<TagID> = []
        func appendQuiet() async throws {
            for owner in quiet {
                let tags = Self.tags(1, 250, &random)
                expected.insert(tags[0].id)
                _ = try await store.appendInPieces(tags, of: owner)
            }
        }
        try await appendQuiet()
        let filling = Self.tags(
            flood.bufferByteCount / (flood.tagByteCount + EncodedAppend.fieldByteCount), flood.tagByteCount,
            &random)
        _ = try await store.appendInPieces(filling, of: Self.loud)
        let groupCount = min(20, max(4, flood.bufferByteCount / flood.groupByteCount))
        for _ in 0..<groupCount {
            let loud = (0..<flood.appendCount).map { _ in
                Self.tags(flood.tagCount, flood.tagByteCount, &random)
            }
            let others = quiet.map { ($0, Self.tags(1, 250, &random)) }
            expected.formUnion(others.map { $0.1[0].id })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for tags in loud {
                    group.addTask { _ = try await store.appendInPieces(tags, of: Self.loud) }
                }
                for (owner, tags) in others {
                    group.addTask { _ = try await store.appendInPieces(tags, of: owner) }
                }
                try await group.waitForAll()
            }
        }
        let kept = try await Self.ids(in: store)
        let lost = expected.subtracting(kept)
        #expect(lost.isEmpty, "\(lost.count) of \(expected.count)")
        #expect(store.losses().evicted > 0)
        #expect(store.takeLosingOwners() == [Self.loud])
        #expect(directory.byteCount <= flood.bufferByteCount)
        try await expectConservation(store)
        await store.close()
        // The quiet tags are the oldest now. A process that opens the buffer knows no shares yet.
        for limit in [flood.bufferByteCount, flood.bufferByteCount * 3 / 4] {
            let settings = StoreSettings(maximumByteCount: max(2_000_000, limit))
            let again = try await TagBuffer.open(
                directory: directory.path, settings: settings, clock: ManualClock())
            let rest = try await Self.ids(in: again)
            #expect(expected.subtracting(rest).isEmpty, "at the opening with \(limit) bytes")
            await again.close()
        }
    }

    /// A channel without stored tags hands over more than the buffer holds, in one append or in several at once.
    @Test(arguments: [1, 4, 12], [250, 850])
    func firstFlood_largerThanTheBuffer_evictsNoOthers(appendCount: Int, quietCount: Int) async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSettings(maximumByteCount: 2_000_000),
            clock: ManualClock())
        let quiet = TagOwner(channel: "quiet")
        for owner in [quiet, Self.loud] { store.setEqualShares(2, of: owner) }
        var random = SplitMix64(state: 7)
        let expected = Self.tags(quietCount, 250, &random)
        _ = try await store.appendInPieces(expected, of: quiet)
        let floods = (0..<appendCount).map { _ in Self.tags(2_400 / appendCount, 1_000, &random) }
        await withTaskGroup { group in
            for tags in floods {
                group.addTask { _ = try? await store.appendInPieces(tags, of: Self.loud) }
            }
        }
        let kept = try await Self.ids(in: store)
        #expect(Set(expected.map(\.id)).subtracting(kept).isEmpty)
        #expect(kept.count > expected.count && store.losses().evicted > 0)
        #expect(store.takeLosingOwners() == [Self.loud])
        try await expectConservation(store)
        await store.close()
    }

    private static func ids(in store: TagBuffer) async throws -> Set<TagID> {
        var ids: Set<TagID> = []
        var last: Int64 = 0
        while true {
            let tags = try await store.tags(after: last, maximumCount: 10_000)
            guard let end = tags.last else { return ids }
            last = end.sequence
            ids.formUnion(tags.map(\.id))
        }
    }
}
