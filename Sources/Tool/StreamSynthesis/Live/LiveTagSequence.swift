/// The tags of a live channel: a DATA tag every ten seconds, an INFO tag every five minutes, for ever.
///
/// Each follows from its number alone, so that a segment can be made without those before it.
struct LiveTagSequence {
    /// Seconds from one DATA tag to the next, and spanned by each.
    static let tagSeconds = 10
    private static let infoSeconds: Int64 = 300

    /// Where the content ids and blocks come from.
    let seed: UInt64
    /// Unix seconds at which the channel's first segment begins.
    let startTime: UInt32
    /// The PTS at which it begins, not wrapped.
    let startPTS: Int64
    /// The number of the first tag.
    let firstSequence: UInt16

    /// A tag, where it lies and when it closed.
    struct Placed {
        let entry: TagSchedule.Entry
        /// When it closed, in ticks from the beginning of the channel.
        let moment: Int64
    }

    /// The tags in a range of ticks from the beginning of the channel, in the order of time.
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

    /// How many tags lie before a place, in ticks from the beginning of the channel.
    func count(before place: Int64) -> Int64 {
        count(.data, where: { Self.place(of: $0) < place }, near: place)
            + count(.info, where: { Self.place(of: $0) < place }, near: place)
    }

    private static let dataTicks = Int64(tagSeconds) * SynthesisClock.ticksPerSecond
    private static let infoTicks = infoSeconds * SynthesisClock.ticksPerSecond

    /// When the tag with an index among those of its kind closes.
    ///
    /// INFO tags after the first come half a tag aside, so that none shares a moment with a DATA tag.
    private static func moment(_ kind: SyntheticTag.Kind, _ index: Int64) -> Int64 {
        switch kind {
        case .data: (index + 1) * dataTicks
        case .info: index == 0 ? 0 : index * infoTicks - dataTicks / 2
        }
    }

    /// Where the tag lies that closes at a moment: at the sound that was fed last.
    private static func place(of moment: Int64) -> Int64 {
        Int64(TagSchedule.audioFrame(before: moment)) * SynthesisClock.audioFrameTicks
    }

    /// How many tags of a kind have a moment that fulfils a condition, which later ones than some near `place` do not.
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
