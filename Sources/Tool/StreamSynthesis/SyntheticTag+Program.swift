extension SyntheticTag {
    /// A valid tag of the programme that a seed stands for: content ids that hold for a broadcast day, their offsets,
    /// and random blocks.
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

    /// A broadcast day begins at 3 a.m., in seconds after midnight.
    private static let dayStart = 3 * 3600

    /// The final distributor id of the day.
    static func fdCID(seed: UInt64, at time: UInt32) -> [UInt8] { contentID(seed: seed, stream: 2, at: time) }

    /// A program content id of the day other than the usual one.
    static func otherPCCID(seed: UInt64, at time: UInt32) -> [UInt8] {
        contentID(seed: seed, stream: 4, at: time)
    }

    /// Where the random blocks of the tag with an index among those of its kind come from, whatever tags of the other
    /// kind are before it.
    static func blockIndex(of kind: Kind, _ index: Int) -> UInt64 {
        kind == .data ? UInt64(index) + 1 : 0 &- UInt64(index)
    }

    private static func contentID(seed: UInt64, stream: UInt64, at time: UInt32) -> [UInt8] {
        var source = SplitMix64(seed: seed, stream: stream, index: UInt64((Int(time) - dayStart) / 86_400))
        return source.bytes(16)
    }
}
