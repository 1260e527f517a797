import NielsenID3

/// Compares sources of one presentation with separate media timelines by the content of their tags.
///
/// The comparison runs at the end, when the common tags align the two timelines.
struct ContentComparison: Sendable {
    private let sides: RenditionSides
    private let limit: Double
    private let repeatAge: Double
    private var sources: [ComparedSource]
    /// The source of each rendition; nil for a rendition that is not compared.
    private var sourceOf: [Int?]
    private var indices: [Int]

    init(sides: RenditionSides, policy: HealthPolicy) {
        self.sides = sides
        limit = policy[.renditionTime]
        repeatAge = policy[.repeatAge]
        sources = sides.units.indices.map {
            ComparedSource(stream: $0, name: sides.name(ofUnit: $0), renditions: sides.units[$0])
        }
        sourceOf = sides.names.map { _ in nil }
        indices = sides.names.map { _ in 0 }
        for (source, unit) in sides.units.enumerated() {
            for rendition in unit {
                precondition(sourceOf[rendition] == nil, "by content a rendition belongs to one unit at most")
                sourceOf[rendition] = source
            }
        }
    }

    mutating func observe(_ step: RenditionStep, of rendition: Int, _ findings: inout RenditionFindings) {
        guard let source = sourceOf[rendition] else { return }
        switch step {
        case .advance(let position): sources[source].advance(rendition, to: position)
        case .skip(let position): sources[source].skip(rendition, to: position)
        case .observe(let tag):
            let occurrence = RenditionOccurrence(
                tag, stream: source, name: sides.names[rendition], index: indices[rendition],
                isTimeless: sides.timeless.contains(rendition))
            indices[rendition] += 1
            let wasOpen = !sources[source].isFull
            sources[source].add(occurrence, of: RenditionTagIdentity(tag), repeatAge: repeatAge)
            if wasOpen, sources[source].isFull {
                findings.addTags(
                    Finding(
                        status: .pass, place: occurrence.place,
                        detail: "More than \(RenditionComparison.capacity) tags in \(sources[source].name): "
                            + "from here on they are not compared."))
            }
        }
    }

    /// Compares each source with the first.
    func finish(_ findings: inout RenditionFindings) {
        guard let first = sources.first?.inOrder() else { return }
        for source in sources.dropFirst() {
            let pair = SourcePair(first, source.inOrder())
            if pair.hasNoCommonTag {
                checkStrangers(pair, &findings)
            } else {
                pair.checkPresence(&findings)
                if sides.timeless.isEmpty {
                    pair.checkTime(limit: limit, &findings)
                } else {
                    findings.reasonForTimes = "A text contains no stream times for its tags."
                }
            }
        }
    }

    /// Checks two sources without a common tag: one has none, the inserters differ, or the times differ.
    private func checkStrangers(_ pair: SourcePair, _ findings: inout RenditionFindings) {
        let (one, other) = (pair.one, pair.other)
        guard let place = one.tags.first?.occurrence.place ?? other.tags.first?.occurrence.place else {
            return
        }
        if one.tags.isEmpty || other.tags.isEmpty {
            let (full, empty) = one.tags.isEmpty ? (other, one) : (one, other)
            guard empty.wasRead else { return }
            findings.countTag()
            findings.addTags(
                Finding(
                    status: .fail, place: place,
                    detail: TagDifference.none(
                        carrier: full.name, count: full.tags.count, other: empty.name
                    ).detail))
        } else if let a = one.tagTimes, let b = other.tagTimes, a.overlaps(b) {
            findings.countTag()
            findings.addTags(
                Finding(
                    status: .fail, place: place,
                    detail: TagDifference.strangers(
                        (one.name, one.tags.count), (other.name, other.tags.count)
                    ).detail))
        } else {
            findings.reason =
                "\(one.name) and \(other.name) have no tags in common, and their tags are from different times."
        }
    }
}
