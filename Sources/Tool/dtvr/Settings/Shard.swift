import ByteReading
import StreamSynthesis

/// One of several processes that share a set of inputs or channels.
///
/// A name belongs to the shard with the highest weight (rendezvous hashing), so another shard takes names from all
/// others, and no other name moves. The weights never change between versions, because buffers and results on disk
/// depend on them: the first eight bytes of the SHA-256 of the name, as a big-endian number, are the state of a
/// SplitMix64 generator, whose output `i` is the weight of shard `i`.
struct Shard: Sendable, Hashable, CustomStringConvertible {
    /// The number of this shard, from 0.
    let index: Int
    /// The number of shards.
    let count: Int

    /// The highest number of shards.
    static let maximumCount = 100_000

    /// Parses `I/N`, or `I` alone if `count` states the number of shards; nil unless 0 ≤ I < N.
    init?(_ text: String, count: String? = nil) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let countText = parts.count == 2 ? parts[1] : count,
            let index = Self.number(parts[0]), let count = Self.number(countText),
            count <= Self.maximumCount, index < count
        else { return nil }
        self.index = index
        self.count = count
    }

    /// Returns whether a name belongs to this shard, in time linear in the number of shards.
    func contains(_ name: String) -> Bool {
        let state = Digest.sha256(Array(name.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        var weights = SplitMix64(state: state)
        var heaviest = (shard: 0, weight: weights.next())
        for shard in 1..<count {
            let weight = weights.next()
            if weight > heaviest.weight { heaviest = (shard, weight) }
        }
        return heaviest.shard == index
    }

    var description: String { "\(index)/\(count)" }

    /// Parses digits; a sign is not one.
    fileprivate static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } ? Int(text) : nil
    }
}

extension CommandContext {
    /// The number of shards, for engines that provide only the number of the shard.
    static let shardCountVariable = "DTVR_SHARDS"

    /// Returns the shard that the user named, or nil to take everything.
    func shard() throws(UsageError) -> Shard? {
        guard let text = invocation[.shard] else { return nil }
        let count = environment[Self.shardCountVariable]
        if let shard = Shard(text, count: count) { return shard }
        if count == nil, Shard.number(text) != nil {
            throw usageError(
                "--shard \(text) requires the number of shards: --shard \(text)/N or DTVR_SHARDS=N")
        }
        let given = text.contains("/") ? text : [text, count].compactMap(\.self).joined(separator: " of ")
        throw usageError(
            "--shard takes I/N with 0 <= I < N, and N up to \(Shard.maximumCount), not '\(given)'")
    }
}

extension Setting {
    static let shard = Setting(
        "shard", .text("I/N"),
        help: "take only the inputs or channels of shard I of N, counted from 0; DTVR_SHARDS may give N")
}
