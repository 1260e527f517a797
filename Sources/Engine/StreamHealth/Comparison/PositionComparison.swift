import NielsenID3

/// Compares renditions of one presentation along a common media timeline while they are read.
///
/// A tag is checked once every rendition was read `wait` seconds beyond it.
struct PositionComparison: Sendable {
    /// The maximum number of damaged tags remembered for each rendition.
    private static let maximumDamagedCount = 256
    /// The maximum number of carriers of a tag that are tried as the reference for the others.
    private static let maximumReferenceCount = 8

    private let sides: RenditionSides
    private let limit: Double
    private let wait: Double
    private var coverage: [RenditionCoverage]
    private var pending: TagAlignment
    private let isCompared: [Bool]
    private var indices: [Int]
    /// The positions of damaged tags on each rendition's own timeline.
    private var damaged: [[Double]]
    /// The offset from the common timeline of the last tag that each rendition shared with another.
    private var shifts: [Double?]
    private var leftOutCount = 0

    init(sides: RenditionSides, policy: HealthPolicy) {
        self.sides = sides
        limit = policy[.renditionTime]
        wait = policy[.repeatAge]
        pending = TagAlignment(.position(reach: wait), streamCount: sides.names.count)
        isCompared = sides.names.indices.map { rendition in
            sides.units.contains { $0.contains(rendition) }
        }
        coverage = sides.names.map { _ in RenditionCoverage() }
        indices = sides.names.map { _ in 0 }
        damaged = sides.names.map { _ in [] }
        shifts = sides.names.map { _ in nil }
    }

    mutating func observe(_ step: RenditionStep, of rendition: Int, _ findings: inout RenditionFindings) {
        guard isCompared[rendition] else { return }
        switch step {
        case .observe(let tag): observe(tag, of: rendition, &findings)
        case .advance(let position):
            coverage[rendition].advance(to: position)
            checkWhatWasPassed(&findings)
        case .skip(let position):
            coverage[rendition].skip(to: position)
            checkWhatWasPassed(&findings)
        }
    }

    mutating func finish(_ findings: inout RenditionFindings) { check(through: .infinity, &findings) }

    private mutating func observe(
        _ tag: TagOccurrence, of rendition: Int, _ findings: inout RenditionFindings
    ) {
        defer { indices[rendition] += 1 }
        guard let identity = RenditionTagIdentity(tag) else {
            damaged[rendition].append(tag.position)
            if damaged[rendition].count > Self.maximumDamagedCount { damaged[rendition].removeFirst() }
            return
        }
        if pending.count >= RenditionComparison.capacity { leaveOutOldest(&findings) }
        let occurrence = RenditionOccurrence(
            tag, stream: rendition, name: sides.names[rendition], index: indices[rendition])
        pending.add(occurrence, of: identity, at: position(of: occurrence))
    }

    /// Drops the oldest eighth of the pending tags and reports this the first time.
    private mutating func leaveOutOldest(_ findings: inout RenditionFindings) {
        let oldest = (0..<RenditionComparison.capacity / 8).compactMap { _ in
            pending.removeFirst(upTo: .infinity)
        }
        if leftOutCount == 0, let place = oldest.first?.occurrences.first?.place {
            findings.addTags(
                Finding(
                    status: .pass, place: place,
                    detail: "More than \(RenditionComparison.capacity) tags wait for the other renditions: "
                        + "from here on the oldest are not compared."))
        }
        leftOutCount += oldest.count
        for occurrence in oldest.flatMap(\.occurrences) {
            coverage[occurrence.stream].forget(upTo: occurrence.position)
        }
    }

    private mutating func checkWhatWasPassed(_ findings: inout RenditionFindings) {
        let passed =
            isCompared.indices.filter { isCompared[$0] }
            .map { sides.starts[$0] + coverage[$0].frontier }.min() ?? 0
        // A tag's position may be slightly before the segment that contains it.
        check(through: passed - wait - RenditionComparison.edge, &findings)
    }

    private mutating func check(through position: Double, _ findings: inout RenditionFindings) {
        // The tags after the current one locate a rendition without a common tag so far, so they stay pending.
        while let tag = pending.removeFirst(upTo: position) {
            checkPresence(of: tag, &findings)
            checkTime(of: tag, &findings)
            recordShifts(of: tag)
        }
    }

    // MARK: Presence

    private func checkPresence(of tag: AlignedTag, _ findings: inout RenditionFindings) {
        guard let carrier = tag.occurrences.first, let identity = tag.identity else { return }
        var missing: [String] = []
        for (index, unit) in sides.units.enumerated() {
            if unit.contains(where: { tag.first(in: $0) != nil }) { continue }
            var isFilled = false
            for rendition in unit {
                let place =
                    position(of: carrier) - sides.starts[rendition] + shift(of: rendition, from: carrier)
                guard coverage[rendition].covers(place) else { return }
                isFilled =
                    isFilled
                    || damaged[rendition].contains { abs($0 - place) <= RenditionComparison.edge }
            }
            if !isFilled { missing.append(sides.name(ofUnit: index)) }
        }
        findings.countTag()
        guard !missing.isEmpty else { return }
        let carriers = sides.units.indices
            .filter { sides.units[$0].contains { tag.first(in: $0) != nil } }
            .map { sides.name(ofUnit: $0) }
        findings.addTags(
            Finding(
                status: .fail, place: carrier.place,
                detail: TagDifference.missing(identity, carriers: carriers, others: missing).detail))
    }

    /// Returns the expected offset of a tag in one rendition from the same tag in another.
    private func shift(of rendition: Int, from carrier: RenditionOccurrence) -> Double {
        if let shift = shifts[rendition] { return shift - (shifts[carrier.stream] ?? 0) }
        guard let common = pending.firstCommon(carrier.stream, rendition, among: 256),
            let one = common.first(in: carrier.stream), let other = common.first(in: rendition)
        else { return 0 }
        return position(of: other) - position(of: one)
    }

    private mutating func recordShifts(of tag: AlignedTag) {
        guard tag.isCommon, let base = tag.occurrences.first else { return }
        let origin = position(of: base) - (shifts[base.stream] ?? 0)
        for occurrence in tag.occurrences.reversed() {
            shifts[occurrence.stream] = position(of: occurrence) - origin
        }
    }

    /// Returns the position of a tag on the common timeline.
    private func position(of occurrence: RenditionOccurrence) -> Double {
        sides.starts[occurrence.stream] + occurrence.position
    }

    // MARK: Time

    private func checkTime(of tag: AlignedTag, _ findings: inout RenditionFindings) {
        var carriers: [[RenditionOccurrence]] = []
        for occurrence in tag.occurrences {
            if carriers.last?.first?.stream == occurrence.stream {
                carriers[carriers.count - 1].append(occurrence)
            } else {
                carriers.append([occurrence])
            }
        }
        guard let identity = tag.identity, carriers.count > 1 else { return }
        findings.countTime()
        // The carrier that most others agree with is the reference; the first one wins a tie.
        var reference: (index: Int, agreeing: Int, distances: [Distance?])?
        for index in carriers.indices.prefix(Self.maximumReferenceCount) {
            let distances = carriers.indices.map {
                $0 == index ? nil : nearest(of: carriers[$0], to: carriers[index])
            }
            let agreeing = distances.count { $0.map { !isBeyondLimit($0.seconds) } ?? true }
            if agreeing > reference?.agreeing ?? 0 { reference = (index, agreeing, distances) }
            if agreeing == carriers.count { break }
        }
        guard let reference else { return }
        for distance in reference.distances {
            guard let distance, isBeyondLimit(distance.seconds) else { continue }
            let other = sides.name(of: carriers[reference.index][0].stream)
            let clock =
                distance.isOfClock ? "presentation time" : "media time, because the clocks differ"
            findings.addTime(
                Finding(
                    status: .fail, place: distance.occurrence.place,
                    detail: "\(identity.text) is \(RenditionFindings.text(distance.seconds.magnitude)) "
                        + "\(distance.seconds < 0 ? "before" : "after") its position in \(other) (\(clock)); "
                        + "the limit is \(RenditionFindings.text(limit))."))
        }
    }

    private struct Distance {
        let seconds: Double
        let isOfClock: Bool
        let occurrence: RenditionOccurrence
    }

    /// Returns the closest pair of occurrences in two renditions, so that a repeat is not a difference.
    private func nearest(of ones: [RenditionOccurrence], to others: [RenditionOccurrence]) -> Distance? {
        var nearest: Distance?
        for one in ones {
            for other in others {
                let clock = one.clockDistance(from: other)
                let seconds = clock ?? (position(of: one) - position(of: other))
                if nearest.map({ abs(seconds) < abs($0.seconds) }) ?? true {
                    nearest = Distance(seconds: seconds, isOfClock: clock != nil, occurrence: one)
                }
            }
        }
        return nearest
    }

    /// Returns whether a distance exceeds the limit by more than a rounding error.
    private func isBeyondLimit(_ seconds: Double) -> Bool { abs(seconds) > limit + 1e-6 }
}
