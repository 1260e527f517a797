import Testing

@testable import dtvr

@Suite struct ShardTests {
    private static func shards(_ count: Int) throws -> [Shard] {
        try (0..<count).map { try #require(Shard("\($0)/\(count)")) }
    }

    private static func shard(of name: String, among shards: [Shard]) throws -> Int {
        let found = shards.indices.filter { shards[$0].contains(name) }
        try #require(found.count == 1, "\(name) belongs to \(found)")
        return found[0]
    }

    /// Computed by another program from the documentation.
    ///
    /// Buffers and results on disk depend on these numbers.
    @Test(arguments: [
        ("", 1, 1, 1), ("one", 0, 14, 241), ("two", 0, 11, 799), ("kanal-ö", 1, 7, 798),
        ("archive/2026-11-01/seg00001.ts", 1, 11, 949),
        ("https://cdn.example.com/one/master.m3u8", 1, 5, 944),
        ("-", 0, 14, 450), ("a b", 0, 0, 0),
    ])
    func name_hasTheSameShardInEveryVersion(
        _ name: String, of2: Int, of16: Int, of1000: Int
    ) throws {
        #expect(try Self.shard(of: name, among: Self.shards(2)) == of2)
        #expect(try Self.shard(of: name, among: Self.shards(16)) == of16)
        #expect(try Self.shard(of: name, among: Self.shards(1_000)) == of1000)
    }

    @Test func addedShard_takesItsShareOfNames_andNoOtherNameMoves() throws {
        let names = (0..<10_000).map { "channel-\($0)" }
        for count in 1...8 {
            let (fewer, more) = (try Self.shards(count), try Self.shards(count + 1))
            var movedCount = 0
            for name in names {
                let (before, after) = try (
                    Self.shard(of: name, among: fewer), Self.shard(of: name, among: more)
                )
                if before != after {
                    #expect(after == count, "\(name) moved from \(before) to \(after)")
                    movedCount += 1
                }
            }
            // Within five standard deviations of a share of 1/(N + 1).
            let share = 1 / Double(count + 1)
            let deviation = (Double(names.count) * share * (1 - share)).squareRoot()
            #expect((Double(movedCount) - Double(names.count) * share).magnitude < 5 * deviation)
        }
    }

    @Test func shardText_isValid_onlyWithAnIndexBelowTheCount() throws {
        let shard = try #require(Shard("3/16"))
        #expect(shard.index == 3 && shard.count == 16 && shard.description == "3/16")
        #expect(Shard("3", count: "16") == shard)
        // The count in the text takes precedence.
        #expect(Shard("3/16", count: "4") == shard)
        #expect(Shard("0/1")?.contains("anything") == true)
        #expect(Shard("99999/100000") != nil)
        for text in [
            "", "/", "3/", "/16", "3", "16/16", "-1/16", "+1/16", "1/0", "0/0", "1/-2", " 1/2", "1/2/3",
            "a/b", "0x1/2",
            "1.0/2", "0/100001", "9223372036854775808/9223372036854775809", "٣/١٦",
        ] { #expect(Shard(text) == nil, "\(text)") }
        for count in ["", "0", "3", "-1", "x"] { #expect(Shard("3", count: count) == nil, "\(count)") }
    }
}
