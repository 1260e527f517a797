import ID3v2
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import TagDelivery

@Suite(.timeLimit(.minutes(30))) struct TagIdentityTests {
    /// Reading the same recording twice yields the same ids.
    ///
    /// A change in any identifying field yields another id.
    @Test func recordedTagID_dependsOnSourceSegmentTimeAndOwner() throws {
        let record = try #require(SampleTags.record(1, ticks: 5))
        let identity = TagID(of: record)
        var same = record
        same.seconds = 99
        same.origin.place.renditions = ["v", "a"]
        #expect(TagID(of: same) == identity)

        var others = [
            try #require(SampleTags.record(2, ticks: 5)), try #require(SampleTags.record(1, ticks: 6)),
        ]
        others.append(try #require(SampleTags.record(1)))
        var moved = record
        moved.origin.place.source = "t"
        others.append(moved)
        moved = record
        moved.origin.place.segment = "a.ts"
        others.append(moved)
        // The fields are separated, so that a character moved from one to the next changes the id.
        moved.origin.place.source = "sa"
        moved.origin.place.segment = ".ts"
        others.append(moved)
        let identities = others.map { TagID(of: $0) }
        #expect(Set(identities + [identity]).count == others.count + 1)
    }

    /// Two processes with separate buffers send the same ids to a collector.
    @Test func ids_inTwoBuffers_areTheSame() async throws {
        let folder = try TemporaryFolder()
        var ids: [[TagID]] = []
        for name in ["one", "two"] {
            let store = try await TagBuffer.open(
                directory: "\(folder.path)/\(name)", settings: StoreSettings())
            let records = try (0..<3).map { try #require(SampleTags.record($0, ticks: UInt64($0))) }
            _ = try await TagIngest(into: store).append(records)
            ids.append(try await store.nextBatch(maximumCount: 10, maximumByteCount: 100_000).map(\.id))
            await store.close()
        }
        #expect(ids[0].count == 3 && ids[0] == ids[1])
    }

    private struct NoTag: Error {}

    /// Returns a tag of a live channel with the given media sequence and time.
    private static func live(
        _ number: Int = 1, channel: String = "c", sequence: UInt64, ticks: UInt64, isDamaged: Bool = false
    ) throws -> TagOccurrence {
        let sample = try #require(SampleTags.record(number, ticks: ticks))
        var owner = sample.tag.ownerIdentifier
        // Changes a digit of the blob, which the checksum covers.
        if isDamaged { owner[150] = owner[150] == 0x41 ? 0x42 : 0x41 }
        guard let tag = NielsenTag(ownerIdentifier: owner.span) else { throw NoTag() }
        try #require(tag.isChecksumValid == !isDamaged)
        return TagOccurrence(
            tag: tag,
            origin: .channel(
                id: channel, TagPlace(source: "s", segment: "\(sequence)", mediaSequence: sequence)),
            time: sample.time, seconds: nil, carriage: .packedAudio)
    }

    @Test func liveTagID_dependsOnlyOnChannelAndOwner() throws {
        let identity = TagID(of: try Self.live(sequence: 7, ticks: 5))
        #expect(TagID(of: try Self.live(sequence: 8, ticks: 5)) == identity)
        #expect(TagID(of: try Self.live(sequence: 7, ticks: 900_000)) == identity)
        #expect(TagID(of: try Self.live(2, sequence: 7, ticks: 5)) != identity)
        #expect(TagID(of: try Self.live(channel: "d", sequence: 7, ticks: 5)) != identity)
    }

    @Test func damagedLiveTag_isDistinguishedByMediaSequenceAndTime() throws {
        let places: [(UInt64, UInt64)] = [(7, 5), (8, 5), (7, 6)]
        let ids = try places.map {
            try TagID(of: Self.live(sequence: $0.0, ticks: $0.1, isDamaged: true))
        }
        #expect(Set(ids).count == 3)
        #expect(TagID(of: try Self.live(sequence: 7, ticks: 5, isDamaged: true)) == ids[0])
    }
}
