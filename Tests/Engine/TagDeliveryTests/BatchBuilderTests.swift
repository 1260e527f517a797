import TagStore
import Testing

@testable import CollectorService
@testable import TagDelivery

@Suite struct BatchBuilderTests {
    private func tags(_ count: Int, bodyByteCount: Int = 10) -> [StoredTag] {
        (0..<count).map { number in
            StoredTag(
                sequence: Int64(number + 1), id: TagID(high: 7, low: UInt64(number)), received: 0,
                body: [UInt8](repeating: 0x61, count: bodyByteCount))
        }
    }

    private func builder(_ limit: Int = 512_000) -> BatchBuilder {
        BatchBuilder(
            store: StoreID(TagID(high: 1, low: 2)), version: "dtvr/1", maximumByteCount: limit,
            encodeLine: DeliveryBench.builderLine)
    }

    @Test func batch_hasHeaderAndOneLinePerTag() throws {
        var losses = LossTotals()
        losses.evicted = 3
        losses.memoryLost = 4
        let built = builder().batch(of: tags(2), losses: losses, attempt: 5, encoding: .gzip)
        let batch = try #require(built.batch)
        let lines = String(decoding: batch.body, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let header =
            #"{"store":"00000000000000010000000000000002","version":"dtvr/1","batch":"\#(batch.id)","#
            + #""first_seq":1,"last_seq":2,"losses":{"evicted":3,"expired":0,"dead":0,"pruned":0,"#
            + #""damaged":0,"memory_lost":4}}"#
        #expect(
            lines == [
                header[...],
                #"{"id":"00000000000000070000000000000000","owner":"aaaaaaaaaa"}"#,
                #"{"id":"00000000000000070000000000000001","owner":"aaaaaaaaaa"}"#, "",
            ])
        #expect(batch.attempt == 5 && batch.encoding == .gzip && batch.tagIDs == built.tags.map(\.id))
        // Computed with Python's hashlib from the two ids, 16 bytes each.
        #expect(batch.id == "a6012f2d64fdd889b30cc14595e12ef60e28ca4e15dba86a058663fafa3697ff")
    }

    @Test func batchID_dependsOnlyOnOrderedTagIDs() {
        let two = tags(2)
        func key(_ tags: [StoredTag], attempt: Int = 1) -> String? {
            builder().batch(of: tags, losses: .init(), attempt: attempt, encoding: .zstd).batch?.id
        }
        #expect(key(two) == key(two, attempt: 9))
        let moved = two.map { StoredTag(sequence: $0.sequence + 5, id: $0.id, received: 1, body: [0x62]) }
        #expect(key(two) == key(moved))
        #expect(key(two) != key(two.reversed()) && key(two) != key([two[0]]))
    }

    @Test func byteLimit_endsBatch_butAllowsAtLeastOneTag() {
        let line = 53 + 100
        for (limit, count) in [
            (0, 1), (line - 1, 1), (line, 1), (2 * line - 1, 1), (2 * line, 2), (10 * line, 9),
        ] {
            let tags = tags(9, bodyByteCount: 100)
            let built = builder(limit).batch(of: tags, losses: .init(), attempt: 1, encoding: .zstd)
            #expect(built.tags.count == count, "\(limit)")
            #expect(built.tags == Array(tags[..<count]))
        }
    }

    /// A batch ends before a tag of another sender.
    ///
    /// The header of such a sender's batch contains nothing about the buffer: neither its sequences nor its losses.
    @Test func tags_ofAnotherSender_formTheirOwnBatch() throws {
        let sender = StoreID(TagID(high: 8, low: 9))
        let builder = BatchBuilder(store: StoreID(TagID(high: 1, low: 2)), version: "v") { tag, line in
            line += Array("{\"id\":\"\(tag.id.text)\"}".utf8)
            return (3...5).contains(tag.sequence) ? sender : nil
        }
        var losses = LossTotals()
        losses.evicted = 3
        var rest = tags(7)[...]
        var headers: [(count: Int, line: String)] = []
        while !rest.isEmpty {
            let built = builder.batch(of: Array(rest), losses: losses, attempt: 1, encoding: .identity)
            let batch = try #require(built.batch)
            #expect(
                batch.tagIDs == built.tags.map(\.id) && batch.id == BatchBuilder.identifier(of: built.tags))
            let header = String(decoding: batch.body.prefix { $0 != 0x0A }, as: UTF8.self)
            headers.append((built.tags.count, header))
            rest = rest.dropFirst(built.tags.count)
        }
        #expect(headers.map(\.count) == [2, 3, 2])
        #expect(headers[1].line.contains(#""store":"00000000000000080000000000000009""#))
        #expect(headers[1].line.contains(#""first_seq":1,"last_seq":3,"losses":{"evicted":0,"#))
        #expect(headers[2].line.contains(#""store":"00000000000000010000000000000002""#))
        #expect(headers[2].line.contains(#""first_seq":6,"last_seq":7,"losses":{"evicted":3,"#))
    }

    @Test func unreadableBodies_areOmittedAndReported() {
        var tags = tags(3)
        tags[1] = StoredTag(sequence: 2, id: tags[1].id, received: 0, body: [UInt8(ascii: "X")])
        let built = builder().batch(of: tags, losses: .init(), attempt: 1, encoding: .zstd)
        #expect(built.tags.map(\.sequence) == [1, 3] && built.unreadable.map(\.sequence) == [2])
        let broken = BatchBuilder(store: StoreID(TagID(high: 1, low: 2)), version: "v") { tag, line in
            line = tag.sequence == 1 ? [0x0A] : []
            return nil
        }
        let none = broken.batch(of: self.tags(2), losses: .init(), attempt: 1, encoding: .zstd)
        #expect(none.batch == nil && none.unreadable.count == 2)
    }

    @Test(arguments: [0, 1, 1_000, 600_000])
    func compressedBatch_isDecodedByCollector(count: Int) throws {
        var compressor = BatchCompressor()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0) }
        let same = compressor.compress(bytes, as: .identity)
        #expect(same == bytes)
        for encoding in [ContentEncoding.zstd, .gzip] {
            let made = compressor.compress(bytes, as: encoding)
            let compressed = try #require(made)
            let named = RequestEncoding(field: encoding.name)
            let name = try #require(named)
            #expect(try EncodedBody(compressed, name, limit: count).decode() == bytes)
        }
    }
}
