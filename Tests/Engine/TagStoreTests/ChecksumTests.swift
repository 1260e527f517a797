import Testing

@testable import TagStore

/// The fields that the checksums in the database cover.
@Suite struct ChecksumTests {
    @Test func rowChecksum_withAnyFieldOrBodyChanged_differs() {
        let row = RowFields(
            sequence: 1, id: TagID(high: 2, low: 3), receivedWall: 4, receivedBoot: 5, epoch: 6, encoding: 7)
        let body: [UInt8] = [8]
        let fields: [WritableKeyPath<RowFields, Int64>] = [
            \.sequence, \.receivedWall, \.receivedBoot, \.epoch, \.encoding,
        ]
        for field in fields {
            var changed = row
            changed[keyPath: field] += 1
            #expect(changed.checksum(body: body.span) != row.checksum(body: body.span), "\(field)")
        }
        for id in [TagID(high: 3, low: 3), TagID(high: 2, low: 4)] {
            var changed = row
            changed.id = id
            #expect(changed.checksum(body: body.span) != row.checksum(body: body.span), "\(id)")
        }
        let other: [UInt8] = [9]
        #expect(row.checksum(body: other.span) != row.checksum(body: body.span))
    }

    @Test func metaChecksum_withDifferentKeyOrValue_differs() {
        let checksum = MetaTable.checksum(key: "a", value: [1])
        #expect(MetaTable.checksum(key: "b", value: [1]) != checksum)
        #expect(MetaTable.checksum(key: "a", value: [2]) != checksum)
    }
}
