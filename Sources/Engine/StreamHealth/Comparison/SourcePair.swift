import NielsenID3

/// Two sources of one presentation with their common tags.
struct SourcePair: Sendable {
    let one: ComparedSource
    let other: ComparedSource
    /// The indices of the common tags, in the order of `one`.
    let matches: [(one: Int, other: Int)]

    /// Finds the common tags of two sources, both in presentation order.
    ///
    /// If a tag occurs several times, as in a loop, its occurrences are matched in order.
    init(_ one: ComparedSource, _ other: ComparedSource) {
        self.one = one
        self.other = other
        var places: [RenditionTagIdentity: [Int]] = [:]
        for index in other.tags.indices.reversed() {
            places[other.tags[index].identity, default: []].append(index)
        }
        matches = one.tags.indices.compactMap { index in
            places[one.tags[index].identity]?.popLast().map { (index, $0) }
        }
    }

    /// Reports the tags that only one source has, within the time that both cover.
    func checkPresence(_ findings: inout RenditionFindings) {
        for _ in matches { findings.countTag() }
        let inOther = missing(from: one, in: other, matches)
        let inOne = missing(
            from: other, in: one, matches.map { ($0.other, $0.one) }.sorted { $0.0 < $1.0 })
        // Sorted by position on the timeline of `one`.
        let all =
            inOther.map {
                (place: one.tags[$0.tag].occurrence.position, tag: one.tags[$0.tag], isInOne: true)
            }
            + inOne.map { (place: $0.place, tag: other.tags[$0.tag], isInOne: false) }
        for missing in all.sorted(by: { $0.place < $1.place }) {
            let (has, lacks) = missing.isInOne ? (one, other) : (other, one)
            findings.countTag()
            findings.addTags(
                Finding(
                    status: .fail, place: missing.tag.occurrence.place,
                    detail: "\(missing.tag.identity.text) is in \(has.name) but not in \(lacks.name)."))
        }
    }

    /// Returns the tags of one source that the other lacks although it covers their positions, with these positions.
    private func missing(
        from source: ComparedSource, in lacking: ComparedSource, _ matches: [(Int, Int)]
    ) -> [(tag: Int, place: Double)] {
        var missing: [(tag: Int, place: Double)] = []
        var next = 0
        for (index, tag) in source.tags.enumerated() {
            if next < matches.count, matches[next].0 == index {
                next += 1
                continue
            }
            let before = next > 0 ? matches[next - 1] : nil
            let after = next < matches.count ? matches[next] : nil
            guard let nearest = before ?? after else { continue }
            let shift =
                lacking.tags[nearest.1].occurrence.position - source.tags[nearest.0].occurrence.position
            let place = tag.occurrence.position + shift
            // Between two common tags, both sources were read, except for skipped stretches.
            let isBetween = before != nil && after != nil
            guard isBetween ? !lacking.isSkipped(place) : lacking.covers(place), !lacking.isFilled(place)
            else { continue }
            missing.append((index, place))
        }
        return missing
    }

    /// Reports changes of the time offset between the two sources.
    func checkTime(limit: Double, _ findings: inout RenditionFindings) {
        var track = SourceOffsetTrack(one: one.name, other: other.name, limit: limit)
        for match in matches {
            findings.countTime()
            track.observe(
                other.tags[match.other], over: one.tags[match.one].occurrence, &findings)
        }
        track.finish(&findings)
    }
}
