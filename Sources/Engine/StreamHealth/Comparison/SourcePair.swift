import NielsenID3

/// Two sources of one presentation with their common tags.
struct SourcePair: Sendable {
    let one: ComparedSource
    let other: ComparedSource
    /// The aligned tags of each source, in its order.
    private let oneTags: [AlignedTag]
    private let otherTags: [AlignedTag]

    /// Finds the common tags of two sources, both in presentation order.
    ///
    /// If a tag occurs several times, as in a loop, its occurrences are matched in order.
    init(_ one: ComparedSource, _ other: ComparedSource) {
        self.one = one
        self.other = other
        var alignment = TagAlignment(.order, streamCount: max(one.stream, other.stream) + 1)
        let oneIDs = one.tags.map { alignment.add($0.occurrence, of: $0.identity) }
        let otherIDs = other.tags.map { alignment.add($0.occurrence, of: $0.identity) }
        oneTags = oneIDs.compactMap { alignment[$0] }
        otherTags = otherIDs.compactMap { alignment[$0] }
    }

    var hasNoCommonTag: Bool { !oneTags.contains(where: \.isCommon) }

    /// Reports the tags that only one source has, within the time that both cover.
    func checkPresence(_ findings: inout RenditionFindings) {
        for tag in oneTags where tag.isCommon { findings.countTag() }
        let inOther = missing(among: oneTags, of: one, in: other)
        let inOne = missing(among: otherTags, of: other, in: one)
        // Sorted by position on the timeline of `one`.
        let all =
            inOther.map { (position: $0.tag.position, missing: $0, isInOne: true) }
            + inOne.map { (position: $0.place, missing: $0, isInOne: false) }
        for (_, missing, isInOne) in all.sorted(by: { $0.position < $1.position }) {
            let (has, lacks) = isInOne ? (one, other) : (other, one)
            findings.countTag()
            findings.addTags(
                Finding(
                    status: .fail, place: missing.tag.place,
                    detail: TagDifference.missing(
                        missing.identity, carriers: [has.name], others: [lacks.name]
                    ).detail))
        }
    }

    /// A tag that one source has and the other lacks, with its expected position there.
    private struct Missing {
        let identity: RenditionTagIdentity
        let tag: RenditionOccurrence
        let place: Double
    }

    /// Returns the tags of one source that the other lacks although it covers their positions.
    private func missing(
        among tags: [AlignedTag], of source: ComparedSource, in lacking: ComparedSource
    ) -> [Missing] {
        var missing: [Missing] = []
        var before: AlignedTag?
        var ahead = tags.filter(\.isCommon)[...]
        for tag in tags {
            if tag.isCommon {
                before = ahead.popFirst()
                continue
            }
            guard let identity = tag.identity, let occurrence = tag.first(in: source.stream),
                let nearest = before ?? ahead.first,
                let shift = nearest.shift(from: source.stream, to: lacking.stream)
            else { continue }
            let place = occurrence.position + shift
            // Between two common tags, both sources were read, except for skipped stretches.
            let isBetween = before != nil && !ahead.isEmpty
            guard isBetween ? !lacking.isSkipped(place) : lacking.covers(place), !lacking.isFilled(place)
            else { continue }
            missing.append(Missing(identity: identity, tag: occurrence, place: place))
        }
        return missing
    }

    /// Reports changes of the time offset between the two sources.
    func checkTime(limit: Double, _ findings: inout RenditionFindings) {
        var track = SourceOffsetTrack(one: one.name, other: other.name, limit: limit)
        for tag in oneTags where tag.isCommon {
            guard let identity = tag.identity, let base = tag.first(in: one.stream),
                let occurrence = tag.first(in: other.stream)
            else { continue }
            findings.countTime()
            track.observe(
                ComparedSource.Tag(identity: identity, occurrence: occurrence), over: base, &findings)
        }
        track.finish(&findings)
    }
}
