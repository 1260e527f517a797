/// Two sources of one presentation with the tags that both have.
struct SourcePair: Sendable {
    let one: ComparedSource
    let other: ComparedSource
    /// The indices of the tags that both have, in the order of `one`.
    let matches: [(one: Int, other: Int)]

    /// Finds what two sources have in common; both in the order of their presentation.
    ///
    /// Of a tag that comes more than once, as in a loop, the next one goes with the next one.
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

    /// Finds the tags that one of them has and the other not, over the time that both cover.
    func checkPresence(_ findings: inout RenditionFindings) {
        for _ in matches { findings.countTag() }
        let inOther = missing(from: one, in: other, matches)
        let inOne = missing(
            from: other, in: one, matches.map { ($0.other, $0.one) }.sorted { $0.0 < $1.0 })
        // In the order of the presentation, which is that of `one`.
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
                    detail: "\(missing.tag.identity.text) is in \(has.name), and not in \(lacks.name)."))
        }
    }

    /// The tags of one source that another lacks though it covers their place, and where that is.
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
            // Between two tags that both have, both have been read, but for what was skipped.
            let isBetween = before != nil && after != nil
            guard isBetween ? !lacking.isSkipped(place) : lacking.covers(place), !lacking.isFilled(place)
            else { continue }
            missing.append((index, place))
        }
        return missing
    }

    /// Finds where the distance in time between the two changes.
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
