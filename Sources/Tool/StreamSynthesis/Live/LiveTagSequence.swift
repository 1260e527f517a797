/// The unlimited tags of a live channel: a DATA tag every ten seconds and an INFO tag every five minutes.
///
/// Each tag is computed from its number alone, so that a segment can be created independently of earlier ones.
struct LiveTagSequence {
    /// The interval between DATA tags and the time span of each, in seconds.
    static let tagSeconds = 10
    private static let infoSeconds: Int64 = 300

    /// The seed for the content IDs and blocks.
    let seed: UInt64
    /// The start of the channel's first segment, in Unix seconds.
    let startTime: UInt32
    /// The PTS at that start, not wrapped.
    let startPTS: Int64
    /// The sequence number of the first tag.
    let firstSequence: UInt16

    /// A tag with its closing time.
    struct Placed {
        let entry: TagSchedule.Entry
        /// The closing time of the tag, in ticks from the start of the channel.
        let moment: Int64
    }

    /// Returns the tags in a range of ticks from the start of the channel, in time order.
    func tags(in range: Range<Int64>) -> [Placed] {
        var tags: [Placed] = []
        let first = range.lowerBound / Self.dataTicks
        for index in max(0, first - 1)...range.upperBound / Self.dataTicks + 1 {
            append(.data, index, ifIn: range, to: &tags)
        }
        for index in max(0, range.lowerBound / Self.infoTicks)...range.upperBound / Self.infoTicks + 1 {
            append(.info, index, ifIn: range, to: &tags)
        }
        return tags.sorted { $0.moment < $1.moment }
    }

    /// Returns the number of tags before a position, in ticks from the start of the channel.
    func count(before place: Int64) -> Int64 {
        count(.data, where: { Self.place(of: $0) < place }, near: place)
            + count(.info, where: { Self.place(of: $0) < place }, near: place)
    }

    private static let dataTicks = Int64(tagSeconds) * SynthesisClock.ticksPerSecond
    private static let infoTicks = infoSeconds * SynthesisClock.ticksPerSecond

    /// Returns the closing time of a tag, by its index among the tags of its kind.
    ///
    /// INFO tags after the first are shifted by half a tag, so that none coincides with a DATA tag.
    private static func moment(_ kind: SyntheticTag.Kind, _ index: Int64) -> Int64 {
        switch kind {
        case .data: (index + 1) * dataTicks
        case .info: index == 0 ? 0 : index * infoTicks - dataTicks / 2
        }
    }

    /// Returns the position of the tag that closes at `moment`: the last audio frame fed before it.
    private static func place(of moment: Int64) -> Int64 {
        Int64(TagSchedule.audioFrame(before: moment)) * SynthesisClock.audioFrameTicks
    }

    /// Returns the number of tags of a kind whose closing time satisfies `holds`.
    ///
    /// The condition must fail for all tags after some time near `place`.
    private func count(
        _ kind: SyntheticTag.Kind, where holds: (Int64) -> Bool, near place: Int64
    ) -> Int64 {
        var count = max(0, place / (kind == .data ? Self.dataTicks : Self.infoTicks) - 1)
        while holds(Self.moment(kind, count)) { count += 1 }
        return count
    }

    private func append(
        _ kind: SyntheticTag.Kind, _ index: Int64, ifIn range: Range<Int64>, to tags: inout [Placed]
    ) {
        let moment = Self.moment(kind, index)
        let place = Self.place(of: moment)
        guard range.contains(place) else { return }
        let other: SyntheticTag.Kind = kind == .data ? .info : .data
        let number = index + count(other, where: { $0 < moment }, near: moment)
        let lastTime = startTime &+ UInt32(truncatingIfNeeded: moment / SynthesisClock.ticksPerSecond)
        let tag = SyntheticTag(
            kind: kind, sequence: firstSequence &+ UInt16(truncatingIfNeeded: number),
            firstTime: kind == .data ? lastTime &- UInt32(Self.tagSeconds) : lastTime, lastTime: lastTime,
            seed: seed, blockIndex: SyntheticTag.blockIndex(of: kind, Int(index)))
        let entry = TagSchedule.Entry(
            audioFrame: Int(place / SynthesisClock.audioFrameTicks), time: startPTS + place, bytes: tag.bytes,
            ownerIdentifier: tag.ownerIdentifier)
        tags.append(Placed(entry: entry, moment: moment))
    }
}
