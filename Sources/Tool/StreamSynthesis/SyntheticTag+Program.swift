extension SyntheticTag {
    /// Creates a valid tag of the television program that the seed determines.
    ///
    /// The content IDs are constant for a broadcast day and have matching offsets; the blocks are random.
    init(
        kind: Kind, sequence: UInt16, firstTime: UInt32, lastTime: UInt32, seed: UInt64, blockIndex: UInt64
    ) {
        var source = SplitMix64(seed: seed, stream: 3, index: blockIndex)
        self.init(
            kind: kind, sequence: sequence, firstTime: firstTime, lastTime: lastTime,
            blocks: Self.blocks(kind: kind, from: &source))
        guard kind == .data else { return }
        pcCID = Self.contentID(seed: seed, stream: 1, at: firstTime)
        fdCID = Self.fdCID(seed: seed, at: firstTime)
        pcOffset = (Int(firstTime) - Self.dayStart) % 86_400
        fdOffset = pcOffset
    }

    /// The start of a broadcast day, 3 a.m., in seconds after midnight.
    private static let dayStart = 3 * 3600

    /// Returns the final distributor ID of the day.
    static func fdCID(seed: UInt64, at time: UInt32) -> [UInt8] { contentID(seed: seed, stream: 2, at: time) }

    /// Returns a program content ID of the day that differs from the regular one.
    static func otherPCCID(seed: UInt64, at time: UInt32) -> [UInt8] {
        contentID(seed: seed, stream: 4, at: time)
    }

    /// Returns the index for the random blocks of a tag, independent of the tags of the other kind.
    ///
    /// `index` is the index of the tag among those of its kind.
    static func blockIndex(of kind: Kind, _ index: Int) -> UInt64 {
        kind == .data ? UInt64(index) + 1 : 0 &- UInt64(index)
    }

    private static func contentID(seed: UInt64, stream: UInt64, at time: UInt32) -> [UInt8] {
        var source = SplitMix64(seed: seed, stream: stream, index: UInt64((Int(time) - dayStart) / 86_400))
        return source.bytes(16)
    }
}
