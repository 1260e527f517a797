package import NielsenID3

/// Compares recorded streams that must have the same tags: the renditions of a presentation, or two sources of it.
///
/// It applies `rendition.tags-differ` and `rendition.time-differs`.
///
/// Two tags are the same if their sequence and blob are equal. The comparison is between **units** of renditions. Each
/// unit must carry every tag. A variant whose audio is in a group forms one unit with that group's default audio. Tags
/// are checked only over the time that every unit covers. This excludes skipped stretches and `edge` seconds at either
/// end, where a tag may be in a segment that was not read.
///
/// Renditions of one presentation have a common timeline. A tag is checked once every rendition was read `repeatAge`
/// seconds beyond it. The timestamps must match too, as HLS requires (RFC 8216, 6.2.4), so a constant distance is a
/// finding for every tag.
///
/// Two sources may start at different segments and have different timestamps. Their common tags align them, once both
/// have been read. A constant distance in time is information, in one finding.
///
/// A tag that a rendition repeats is a matter of `sequence.step`, not a difference. Other checks report a truncated
/// tag, or one with an invalid owner identifier or checksum. Such a tag is not compared, and its position counts as
/// filled.
///
/// For each segment of a rendition, observe its tags and then advance to its end. The renditions may be read in
/// parallel or one after the other. At most `capacity` tags wait. Beyond that, the oldest tags (of two sources, the
/// newest) are not compared, and a finding reports this.
package struct TagComparison: Sendable {
    /// The maximum distance of a tag from the segment that contains it, in seconds.
    static let edge = 2.0
    /// The maximum number of tags that wait for the other renditions; of two sources, for each source.
    static let capacity = 8192
    /// The maximum number of tags searched for one that two renditions share.
    private static let maximumSearchCount = 256

    private let names: [String?]
    let units: [[Int]]
    private let starts: [Double]
    let hasCommonTimeline: Bool
    /// The rendition whose tags have no times; nil if all have times.
    let timeless: Int?
    /// The renditions that belong to a unit; empty if there is only one unit.
    private let compared: Set<Int>
    let limit: Double
    private let repeatAge: Double

    private var alignment: TagAlignment
    private var coverage: [RenditionCoverage]
    /// The number of tags of each rendition so far.
    private var counts: [Int]
    /// The offset from the common timeline of the last tag that each rendition shared with another.
    private var shifts: [Double?]
    /// The last position of each tag of a source, by unit; a tag soon after it is a repeat.
    private var lastPositions: [[RenditionTagIdentity: Double]]
    /// The tags of each source, by unit, until both have been read.
    private var collected: [[(identity: RenditionTagIdentity, occurrence: RenditionOccurrence)]]
    /// The first media times of the segments of each source, in milliseconds, to tell whether both have the same.
    var mediaTimes: [Set<Int64>] = [[], []]
    private var hasDroppedTags = false
    private var hasFinished = false

    private var ledger: CheckLedger
    /// The checks that had something to compare; one without has information at most.
    private var hasRun: Set<CheckID> = []
    /// The reasons why a check did not run, in addition to the usual ones.
    private var reasons: [CheckID: String] = [:]

    /// Creates a comparison with the limits of a policy.
    ///
    /// - Parameters:
    ///   - renditions: the names used in findings.
    ///   - units: the renditions of each unit, by index; nil makes each rendition a unit.
    ///   - starts: the origins of the positions of renditions on the common timeline, in seconds; nil if all start
    ///     together.
    ///   - hasCommonTimeline: whether the units are of one presentation; otherwise there are two, of two sources, and
    ///     a rendition belongs to one of them at most.
    ///   - timeless: a rendition whose tags have no known times, such as a player log; nil without one.
    package init(
        policy: HealthPolicy, renditions: [String?], units: [[Int]]? = nil, starts: [Double]? = nil,
        hasCommonTimeline: Bool = true, timeless: Int? = nil
    ) {
        precondition(starts == nil || starts?.count == renditions.count, "a start for each rendition")
        let units = (units ?? renditions.indices.map { [$0] }).filter { !$0.isEmpty }
        precondition(hasCommonTimeline || units.count <= 2, "one presentation from two sources")
        names = renditions
        self.units = units
        self.starts = starts ?? renditions.map { _ in 0 }
        self.hasCommonTimeline = hasCommonTimeline
        self.timeless = timeless
        compared = Set(units.map(Set.init)).count < 2 ? [] : Set(units.joined())
        limit = policy[.renditionTime]
        repeatAge = policy[.repeatAge]
        alignment = TagAlignment(
            hasCommonTimeline ? .position(reach: repeatAge) : .order, streamCount: renditions.count)
        coverage = renditions.map { _ in RenditionCoverage() }
        counts = renditions.map { _ in 0 }
        shifts = renditions.map { _ in nil }
        lastPositions = units.map { _ in [:] }
        collected = units.map { _ in [] }
        ledger = CheckLedger(policy: policy)
    }

    /// Records the next tag of a rendition, in the rendition's order.
    package mutating func observe(_ tag: TagOccurrence, rendition: Int) {
        guard tag.position.isFinite, !hasFinished, compared.contains(rendition) else { return }
        let unit = units.firstIndex { $0.contains(rendition) } ?? 0
        let occurrence = RenditionOccurrence(
            tag, stream: hasCommonTimeline ? rendition : units[unit][0], name: names[rendition],
            index: counts[rendition], isTimeless: rendition == timeless)
        counts[rendition] += 1
        if !hasCommonTimeline, !makeRoom(for: occurrence, in: unit) { return }
        guard let identity = RenditionTagIdentity(tag) else {
            coverage[rendition].fill(occurrence.position)
            return
        }
        if hasCommonTimeline {
            if alignment.count >= Self.capacity { dropOldest() }
            alignment.add(occurrence, of: identity, at: position(of: occurrence))
        } else {
            let last = lastPositions[unit][identity]
            if let last, abs(occurrence.position - last) <= repeatAge { return }
            lastPositions[unit][identity] = occurrence.position
            collected[unit].append((identity, occurrence))
        }
    }

    /// Records that a rendition was read to a position: the end of a segment after its tags, or infinity at its end.
    package mutating func advance(rendition: Int, to position: Double) {
        guard !hasFinished, compared.contains(rendition) else { return }
        coverage[rendition].advance(to: position)
        checkPassed()
    }

    /// Records that a rendition could not be read up to a position, so that no tag counts as missing there.
    package mutating func skip(rendition: Int, to position: Double) {
        guard position.isFinite, !hasFinished, compared.contains(rendition) else { return }
        coverage[rendition].skip(to: position)
        checkPassed()
    }

    /// Checks all tags that wait, and returns the outcomes; later observations are ignored.
    @discardableResult package mutating func finish() -> [CheckOutcome] {
        if !hasFinished, !compared.isEmpty {
            if hasCommonTimeline { check(through: .infinity) } else { compareSources() }
        }
        hasFinished = true
        return outcomes
    }

    /// The outcomes of `rendition.tags-differ` and `rendition.time-differs`, in this order.
    package var outcomes: [CheckOutcome] {
        let limit = CheckOutcome.Limit(value: limit, unit: HealthLimit.renditionTime.unit)
        return [
            outcome(
                of: RenditionTagsDiffer.declaration, limit: nil,
                "No tag is in the time that all renditions cover."),
            outcome(
                of: RenditionTimeDiffers.declaration, limit: limit, "No tag is in more than one rendition."),
        ]
    }

    private func outcome(
        of check: CheckDeclaration, limit: CheckOutcome.Limit?, _ reason: String
    ) -> CheckOutcome {
        var outcome = ledger.outcome(of: check, limit: limit)
        if !hasRun.contains(check.id) {
            outcome.status = .notRun
            outcome.reason = compared.isEmpty ? check.notRun : reasons[check.id] ?? reason
        }
        return outcome
    }

    /// Records that a check had something to compare.
    mutating func markRun(_ check: CheckID) {
        hasRun.insert(check)
        ledger.markRun(check)
    }

    /// Records a violation of a check, or information.
    mutating func report(_ check: CheckID, _ status: CheckStatus, at place: Finding.Place, _ detail: String) {
        ledger.report(check, status, at: place, detail)
    }

    mutating func report(_ difference: TagDifference, at place: Finding.Place) {
        markRun(difference.check)
        report(difference.check, .fail, at: place, difference.detail)
    }

    // MARK: Memory

    /// Drops the oldest eighth of the tags that wait, and reports this the first time.
    private mutating func dropOldest() {
        let oldest = (0..<Self.capacity / 8).compactMap { _ in alignment.removeFirst(upTo: .infinity) }
        if !hasDroppedTags, let place = oldest.first?.occurrences.first?.place {
            report(
                .renditionTagsDiffer, .pass, at: place,
                "More than \(Self.capacity) tags wait for the other renditions: "
                    + "from here on the oldest are not compared.")
        }
        hasDroppedTags = true
        for occurrence in oldest.flatMap(\.occurrences) {
            coverage[occurrence.stream].forget(upTo: occurrence.position)
        }
    }

    /// Returns whether a source has room for a tag; the first one without room ends its coverage, and is reported.
    private mutating func makeRoom(for occurrence: RenditionOccurrence, in unit: Int) -> Bool {
        let renditions = units[unit]
        if renditions.contains(where: { coverage[$0].isClosed }) { return false }
        let count = collected[unit].count + renditions.map { coverage[$0].filled.count }.reduce(0, +)
        if count < Self.capacity { return true }
        for rendition in renditions { coverage[rendition].close(at: occurrence.position) }
        report(
            .renditionTagsDiffer, .pass, at: occurrence.place,
            "More than \(Self.capacity) tags in \(name(ofUnit: unit)): from here on they are not compared.")
        return false
    }

    // MARK: Presence

    private mutating func checkPassed() {
        guard hasCommonTimeline else { return }
        let passed = compared.map { starts[$0] + coverage[$0].frontier }.min() ?? 0
        // A tag's position may be slightly before the segment that contains it.
        check(through: passed - repeatAge - Self.edge)
    }

    /// Checks the tags up to a position of the common timeline.
    private mutating func check(through position: Double) {
        // The tags after the current one locate a rendition without a common tag so far, so they stay in the alignment.
        while let tag = alignment.removeFirst(upTo: position) {
            if let lacking = lacking(tag, isBetween: false, at: { self.position(of: tag, in: $0) }) {
                markRun(.renditionTagsDiffer)
                reportMissing(tag, in: lacking)
            }
            checkTimes(of: tag)
            recordShifts(of: tag)
        }
    }

    /// Returns the units that lack a tag; nil unless its position was read in all of them.
    ///
    /// - Parameters:
    ///   - isBetween: whether the tag is between two common tags, so that all was read except for skipped stretches.
    ///   - position: the position of the tag in a rendition that lacks it.
    private func lacking(_ tag: AlignedTag, isBetween: Bool, at position: (Int) -> Double) -> [Int]? {
        var lacking: [Int] = []
        for (index, unit) in units.enumerated() where !isCarried(tag, by: unit) {
            let positions = unit.map { ($0, position($0)) }
            let isRead = positions.allSatisfy {
                isBetween ? !coverage[$0].isSkipped($1) : coverage[$0].covers($1)
            }
            guard isRead else { return nil }
            if !positions.contains(where: { coverage[$0].isFilled($1) }) { lacking.append(index) }
        }
        return lacking
    }

    private func isCarried(_ tag: AlignedTag, by unit: [Int]) -> Bool {
        unit.contains { tag.first(in: $0) != nil }
    }

    private mutating func reportMissing(_ tag: AlignedTag, in lacking: [Int]) {
        guard !lacking.isEmpty, let identity = tag.identity, let carrier = tag.occurrences.first else {
            return
        }
        let carriers = units.indices.filter { isCarried(tag, by: units[$0]) }
        report(
            .missing(
                identity, carriers: carriers.map { name(ofUnit: $0) },
                others: lacking.map { name(ofUnit: $0) }),
            at: carrier.place)
    }

    /// Returns the position of a tag on the common timeline.
    func position(of occurrence: RenditionOccurrence) -> Double {
        starts[occurrence.stream] + occurrence.position
    }

    /// Returns the expected position of a tag in a rendition that lacks it.
    private func position(of tag: AlignedTag, in rendition: Int) -> Double {
        guard let carrier = tag.occurrences.first else { return .nan }
        var shift = 0.0
        if let known = shifts[rendition] {
            shift = known - (shifts[carrier.stream] ?? 0)
        } else if let common = alignment.firstCommon(
            carrier.stream, rendition, among: Self.maximumSearchCount),
            let one = common.first(in: carrier.stream), let other = common.first(in: rendition)
        {
            shift = position(of: other) - position(of: one)
        }
        return position(of: carrier) - starts[rendition] + shift
    }

    private mutating func recordShifts(of tag: AlignedTag) {
        guard tag.isCommon, let base = tag.occurrences.first else { return }
        let origin = position(of: base) - (shifts[base.stream] ?? 0)
        for occurrence in tag.occurrences.reversed() {
            shifts[occurrence.stream] = position(of: occurrence) - origin
        }
    }

    /// Returns the name of a rendition for a sentence.
    func name(of rendition: Int) -> String { names[rendition] ?? "rendition \(rendition + 1)" }

    /// Returns the name of a unit for a sentence.
    func name(ofUnit unit: Int) -> String {
        units[unit].map { name(of: $0) }.joined(separator: " with ")
    }

}

// MARK: - Two sources

extension TagComparison {
    /// Aligns two sources by their common tags, and checks them.
    ///
    /// If a tag occurs several times, as in a loop, its occurrences are matched in order.
    private mutating func compareSources() {
        let ids = collected.map { tags in
            // The index keeps the sort stable for equal positions.
            tags.enumerated()
                .sorted {
                    ($0.element.occurrence.position, $0.offset) < ($1.element.occurrence.position, $1.offset)
                }
                .map { alignment.add($0.element.occurrence, of: $0.element.identity) }
        }
        let tags = ids.map { $0.compactMap { alignment[$0] } }
        let common = tags[0].filter(\.isCommon)
        guard !common.isEmpty else { return compareStrangers(tags) }
        markRun(.renditionTagsDiffer)
        let missing = missing(among: tags[0], ofUnit: 0, in: 1) + missing(among: tags[1], ofUnit: 1, in: 0)
        for (tag, unit, _) in missing.sorted(by: { $0.position < $1.position }) {
            reportMissing(tag, in: [unit])
        }
        if timeless == nil {
            checkOffsets(of: common)
        } else {
            reasons[.renditionTimeDiffers] = "A text contains no stream times for its tags."
        }
    }

    /// Returns the tags of one source that the other lacks, with their positions in the first source.
    private func missing(
        among tags: [AlignedTag], ofUnit unit: Int, in other: Int
    ) -> [(tag: AlignedTag, unit: Int, position: Double)] {
        var missing: [(tag: AlignedTag, unit: Int, position: Double)] = []
        var before: AlignedTag?
        var ahead = tags.filter(\.isCommon)[...]
        for tag in tags {
            if tag.isCommon {
                before = ahead.popFirst()
                continue
            }
            guard let own = tag.occurrences.first?.position,
                let shift = (before ?? ahead.first)?.shift(from: units[unit][0], to: units[other][0])
            else { continue }
            let isBetween = before != nil && !ahead.isEmpty
            if lacking(tag, isBetween: isBetween, at: { _ in own + shift })?.isEmpty == false {
                missing.append((tag, other, unit == 0 ? own : own + shift))
            }
        }
        return missing
    }

    /// Checks two sources without a common tag: one has none, the inserters differ, or the times differ.
    private mutating func compareStrangers(_ tags: [[AlignedTag]]) {
        guard let place = (tags[0].first ?? tags[1].first)?.occurrences.first?.place else { return }
        let sides = units.indices.map { (name: name(ofUnit: $0), count: tags[$0].count) }
        let times = tags.map { RenditionOccurrence.tagTimes(of: $0.flatMap(\.occurrences)) }
        if let empty = sides.firstIndex(where: { $0.count == 0 }) {
            guard units[empty].allSatisfy({ coverage[$0].frontier > 0 }) else { return }
            let full = sides[1 - empty]
            report(.none(carrier: full.name, count: full.count, other: sides[empty].name), at: place)
        } else if let one = times[0], let other = times[1], one.overlaps(other) {
            report(.strangers(sides[0], sides[1]), at: place)
        } else {
            let reason =
                "\(sides[0].name) and \(sides[1].name) have no tags in common, and their tags are from different times."
            reasons = [.renditionTagsDiffer: reason, .renditionTimeDiffers: reason]
        }
    }
}
