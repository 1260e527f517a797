import ID3v2
import NielsenID3

/// Checks the presence of tags in a recording across one unit of renditions: any tags, enough tags, and INFO tags in
/// time.
///
/// A unit is one rendition, or a variant without its own audio together with the default audio of its group.
struct TagPresence: Sendable {
    private let policy: HealthPolicy
    /// The renditions of the unit, by index.
    private let members: [Int]
    /// The rendition named in findings about the whole unit.
    private let name: String?
    private var census: TagCensus
    private var readings: [Reading]
    private var lastPlace = Finding.Place()
    private var ownerPresent = OwnerPresent()
    private var tagCount = TagCount()
    private var infoLate = InfoLate()

    /// The progress of reading one rendition.
    private struct Reading {
        /// The duration of the segments read, in seconds.
        var read = 0.0
        /// The duration of the unread segments, in seconds.
        var unread = 0.0
        /// The duration of the unread segments since the last one that was read, in seconds.
        var gap = 0.0
        var hasEnded = false
    }

    init(policy: HealthPolicy, members: [Int], name: String?) {
        self.policy = policy
        self.members = members
        self.name = name
        census = TagCensus(sourceCount: members.count)
        readings = Array(repeating: Reading(), count: members.count)
    }

    /// Seconds of media read of the longest rendition.
    private var duration: Double { readings.map(\.read).max() ?? 0 }

    /// Records a tag of a rendition that is not a repeat.
    mutating func observe(_ tag: PlacedTag, rendition: Int) {
        guard let member = members.firstIndex(of: rendition), census.isNew(tag.occurrence, source: member)
        else { return }
        ownerPresent.observe()
        tagCount.observe(tag.occurrence)
        if tag.occurrence.validKind == .info {
            let position = tag.occurrence.position - readings[member].unread
            infoLate.observe(at: position, place: tag.place, policy: policy)
        }
    }

    /// Records the end of a segment of a rendition after its tags.
    mutating func advance(
        rendition: Int, _ segment: ObservedSegment, place: Finding.Place, into ledger: inout CheckLedger
    ) {
        guard let member = members.firstIndex(of: rendition) else { return }
        if let facts = segment.facts { ownerPresent.observe(facts) }
        if segment.facts == nil {
            readings[member].unread += segment.length
            readings[member].gap += segment.length
            skip(UnreadMedia(seconds: readings[member].gap), member, place)
        } else {
            readings[member].read += segment.length
            readings[member].gap = 0
            if segment.isReadInPart { skip(UnreadMedia(readSeconds: segment.length), member, place) }
        }
        lastPlace = place
        let frontier = readings.filter { !$0.hasEnded }.map(\.read).min() ?? self.duration
        infoLate.advance(to: frontier, place: place, policy: policy)
        // Without any tag, missing INFO tags are a consequence that `finish` reports.
        if ownerPresent.hasTag { reportInfo(into: &ledger) }
    }

    private mutating func skip(_ unread: UnreadMedia, _ member: Int, _ place: Finding.Place) {
        infoLate.skip(unread, to: readings[member].read, place: place, policy: policy)
    }

    /// Runs the final checks.
    mutating func finish(into ledger: inout CheckLedger) {
        for index in readings.indices { readings[index].hasEnded = true }
        infoLate.advance(to: duration, place: lastPlace, policy: policy)
        infoLate.finish(policy: policy)
        var place = Finding.Place()
        place.rendition = name
        place.position = duration
        let unread = readings.map(\.unread).max() ?? 0
        let count = tagCount.check(duration: duration, unread: unread, policy: policy)
        let owner = ownerPresent.check(duration: duration, policy: policy)
        if case .violation(let status, let detail) = owner {
            // Without any Nielsen tag, all other tag checks fail as a consequence.
            var consequences: [Finding.Consequence] = []
            if case .violation(let status, let detail) = count {
                consequences.append(.init(check: .tagCount, status: status, detail: detail))
            }
            for finding in infoLate.drainFindings(duration: duration, policy: policy) ?? [] {
                consequences.append(
                    .init(check: .infoLate, status: finding.status, detail: finding.detail))
            }
            return ledger.report(.ownerPresent, status, at: place, detail, consequences: consequences)
        }
        ledger.report(.ownerPresent, owner, at: place)
        ledger.report(.tagCount, count, at: place)
        reportInfo(into: &ledger)
    }

    private mutating func reportInfo(into ledger: inout CheckLedger) {
        guard let findings = infoLate.drainFindings(duration: duration, policy: policy) else { return }
        ledger.markRun(.infoLate)
        for finding in findings { ledger.report(.infoLate, finding) }
    }
}
