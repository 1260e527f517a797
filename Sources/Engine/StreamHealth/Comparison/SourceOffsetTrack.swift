import NielsenID3

/// Tracks the time offset between two sources of a presentation, tag by tag, and reports its changes.
///
/// A single tag at another offset is displaced. An offset that the next tag confirms applies from there on. If the
/// offset changes on the stream's clock but not in media time, the timestamps of one source restart, as after an
/// EXT-X-DISCONTINUITY: information.
struct SourceOffsetTrack {
    private let one: String
    private let other: String
    private let limit: Double
    private var current: Offset?
    private var candidate: Offset?
    private var hasChanged = false

    private struct Offset {
        /// The offset on the stream's clock; nil when the sources have no common clock.
        let clock: Double?
        let isOnTransportClock: Bool
        let position: Double
        let tag: ComparedSource.Tag

        /// The offset shown in messages.
        var seconds: Double { clock ?? position }
    }

    init(one: String, other: String, limit: Double) {
        self.one = one
        self.other = other
        self.limit = limit
    }

    /// Records the next common tag with its occurrence in the other source and in the first.
    mutating func observe(
        _ tag: ComparedSource.Tag, over base: RenditionOccurrence, _ findings: inout RenditionFindings
    ) {
        let offset = Offset(
            clock: tag.occurrence.clockDistance(from: base),
            isOnTransportClock: tag.occurrence.isOnTransportClock,
            position: tag.occurrence.position - base.position, tag: tag)
        guard let current else {
            self.current = offset
            return
        }
        if agree(offset, current) {
            reportCandidate(&findings)
        } else if let candidate, agree(offset, candidate) {
            report(candidate, after: current, "from here on", &findings)
            self.current = candidate
            self.candidate = nil
        } else {
            reportCandidate(&findings)
            candidate = offset
        }
    }

    /// Reports the unconfirmed last offset, and the constant offset if it never changed.
    mutating func finish(_ findings: inout RenditionFindings) {
        reportCandidate(&findings)
        guard !hasChanged, let current, isBeyondLimit(current.seconds) else { return }
        let clock = current.clock == nil ? "Media time" : "Presentation time"
        findings.addTime(
            Finding(
                status: .pass, place: current.tag.occurrence.place,
                detail: "\(clock) in \(other) is \(Self.text(current.seconds)) that in \(one), for every tag."
            ))
    }

    /// Reports an offset that no other tag confirmed as one displaced tag.
    private mutating func reportCandidate(_ findings: inout RenditionFindings) {
        guard let candidate, let current else { return }
        report(candidate, after: current, "only here", &findings)
        self.candidate = nil
    }

    private mutating func report(
        _ offset: Offset, after before: Offset, _ extent: String, _ findings: inout RenditionFindings
    ) {
        hasChanged = true
        let startsAnew = offset.clock != nil && !isBeyondLimit(offset.position - before.position)
        let text =
            startsAnew
            ? "the timestamps of one of them restart, while the media time of both continues"
            : "the limit of a change is \(RenditionFindings.text(limit))"
        findings.addTime(
            Finding(
                status: startsAnew ? .pass : .fail, place: offset.tag.occurrence.place,
                detail:
                    "\(offset.tag.identity.text) in \(other) is \(Self.text(offset.seconds)) its position in "
                    + "\(one), \(extent); the tags before it are \(Self.text(before.seconds)); \(text)."))
    }

    private func agree(_ offset: Offset, _ other: Offset) -> Bool {
        guard let clock = offset.clock, let otherClock = other.clock,
            offset.isOnTransportClock == other.isOnTransportClock
        else { return !isBeyondLimit(offset.position - other.position) }
        let change = clock - otherClock
        return !isBeyondLimit(
            offset.isOnTransportClock ? RenditionOccurrence.withoutPeriods(change) : change)
    }

    private func isBeyondLimit(_ seconds: Double) -> Bool { abs(seconds) > limit + 1e-6 }

    private static func text(_ seconds: Double) -> String {
        RenditionFindings.text(seconds.magnitude) + (seconds < 0 ? " before" : " after")
    }
}
