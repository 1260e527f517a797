import NielsenID3

/// What one unit of renditions must have, in whichever of its renditions: tags, enough of them, and INFO tags in time.
///
/// A unit is one rendition, or a variant without audio of its own together with the default audio of its group.
struct PresentationPresence: Sendable {
    private let policy: HealthPolicy
    /// The rendition that findings on the whole name.
    private let name: String?
    private var census: TagCensus
    private var readings: [Reading]
    private var lastPlace = Finding.Place()
    private var ownerPresent = OwnerPresent()
    private var tagCount = TagCount()
    private var infoLate = InfoLate()
    private var silence = PresenceSilent()

    /// How far one rendition was read.
    private struct Reading {
        /// Seconds of the segments that were read.
        var read = 0.0
        /// Seconds of those that were not.
        var unread = 0.0
        var hasEnded = false
    }

    init(policy: HealthPolicy, name: String?, renditionCount: Int) {
        self.policy = policy
        self.name = name
        census = TagCensus(sourceCount: renditionCount)
        readings = Array(repeating: Reading(), count: renditionCount)
    }

    /// Seconds of media that were read, of the longest rendition.
    private var duration: Double { readings.map(\.read).max() ?? 0 }

    /// Takes a tag that is no repeat.
    mutating func observe(_ tag: PlacedTag, rendition: Int, at wallTime: Double?) {
        guard census.isNew(tag.occurrence, source: rendition) else { return }
        ownerPresent.observe()
        tagCount.observe(tag.occurrence)
        if tag.occurrence.validKind == .info {
            let position = tag.occurrence.position - readings[rendition].unread
            infoLate.observe(at: position, place: tag.place, policy: policy)
        }
        if let wallTime, tag.occurrence.tag.kind == .data { silence.observe(at: wallTime) }
    }

    /// Takes the end of a segment whose tags were observed.
    mutating func advance(
        rendition: Int, duration: Double, isRead: Bool, place: Finding.Place, into ledger: inout CheckLedger
    ) {
        if isRead {
            readings[rendition].read += duration
        } else {
            readings[rendition].unread += duration
        }
        lastPlace = place
        let frontier = readings.filter { !$0.hasEnded }.map(\.read).min() ?? self.duration
        infoLate.advance(to: frontier, place: place, policy: policy)
        // Without any tag the INFO tags are missing because all are: the end will tell.
        if ownerPresent.hasTag { reportInfo(into: &ledger) }
    }

    /// Says what the wall time is.
    mutating func advance(to wallTime: Double, into ledger: inout CheckLedger) {
        switch silence.advance(to: wallTime, policy: policy) {
        case .notRun: break
        case .pass: ledger.markRun(.presenceSilent)
        case .violation(let status, let detail):
            ledger.report(.presenceSilent, status, at: lastPlace, detail)
        }
    }

    /// Checks the whole.
    mutating func finish(into ledger: inout CheckLedger) {
        for index in readings.indices { readings[index].hasEnded = true }
        infoLate.advance(to: duration, place: lastPlace, policy: policy)
        infoLate.finish(policy: policy)
        var place = Finding.Place()
        place.rendition = name
        place.position = duration
        let count = tagCount.check(duration: duration, policy: policy)
        switch ownerPresent.check(duration: duration, policy: policy) {
        case .violation(let status, let detail):
            // Without any tag the others are missing too.
            var consequences: [Finding.Consequence] = []
            if case .violation(let status, let detail) = count {
                consequences.append(.init(check: .tagCount, status: status, detail: detail))
            }
            for finding in infoLate.drainFindings(duration: duration, policy: policy) ?? [] {
                consequences.append(
                    .init(check: .infoLate, status: finding.status, detail: finding.detail))
            }
            ledger.report(.ownerPresent, status, at: place, detail, consequences: consequences)
            return
        case .pass: ledger.markRun(.ownerPresent)
        case .notRun: break
        }
        switch count {
        case .violation(let status, let detail): ledger.report(.tagCount, status, at: place, detail)
        case .pass: ledger.markRun(.tagCount)
        case .notRun: break
        }
        reportInfo(into: &ledger)
    }

    private mutating func reportInfo(into ledger: inout CheckLedger) {
        guard let findings = infoLate.drainFindings(duration: duration, policy: policy) else { return }
        ledger.markRun(.infoLate)
        for finding in findings { ledger.report(.infoLate, finding) }
    }
}
