import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import TagDelivery

@Suite(.timeLimit(.minutes(30))) struct TagIdentityTests {
    /// The same recording run twice brings the same ids; every part that makes a tag another makes another id.
    @Test func identity_followsFromStoreSourceSegmentTimeAndOwner() async throws {
        let folder = try TemporaryFolder()
        let store = try await TagBuffer.open(directory: folder.path + "/store", settings: StoreSettings())
        let record = try #require(SampleTags.record(1, ticks: 5))
        let identity = TagIdentity.id(of: record, in: store.id)
        var same = record
        same.seconds = 99
        same.origin.place.renditions = ["v", "a"]
        #expect(TagIdentity.id(of: same, in: store.id) == identity)

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
        // The parts are kept apart: what ends one cannot begin the next.
        moved.origin.place.source = "sa"
        moved.origin.place.segment = ".ts"
        others.append(moved)
        let identities = others.map { TagIdentity.id(of: $0, in: store.id) }
        #expect(Set(identities + [identity]).count == others.count + 1)

        let second = try await TagBuffer.open(directory: folder.path + "/second", settings: StoreSettings())
        #expect(TagIdentity.id(of: record, in: second.id) != identity)
        await store.close()
        await second.close()
    }
}
