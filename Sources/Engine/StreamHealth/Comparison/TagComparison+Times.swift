import ID3v2
import NielsenID3

/// `rendition.time-differs`: the times of the tags that several renditions or both sources have.
extension TagComparison {
    /// The maximum number of carriers of a tag that are tried as the reference for the others.
    private static let maximumReferenceCount = 8

    /// Checks the times of a tag in all renditions that carry it.
    mutating func checkTimes(of tag: AlignedTag) {
        guard let identity = tag.identity, tag.isCommon else { return }
        markRun(.renditionTimeDiffers)
        var carriers: [[RenditionOccurrence]] = []
        for occurrence in tag.occurrences {
            if carriers.last?.first?.stream == occurrence.stream {
                carriers[carriers.count - 1].append(occurrence)
            } else {
                carriers.append([occurrence])
            }
        }
        // The carrier that most others agree with is the reference; the first one wins a tie.
        var reference: (index: Int, agreeing: Int)?
        for index in carriers.indices.prefix(Self.maximumReferenceCount) {
            let agreeing = carriers.indices.count {
                $0 == index || !isBeyondLimit(nearest(of: carriers[$0], to: carriers[index]).seconds)
            }
            if agreeing > reference?.agreeing ?? 0 { reference = (index, agreeing) }
            if agreeing == carriers.count { return }
        }
        guard let reference else { return }
        let base = carriers.remove(at: reference.index)
        for carrier in carriers {
            let (seconds, isOfClock, occurrence) = nearest(of: carrier, to: base)
            guard isBeyondLimit(seconds) else { continue }
            report(
                .time(
                    identity, distance: seconds, from: name(of: base[0].stream), isOfClock: isOfClock,
                    limit: limit), at: occurrence.place)
        }
    }

    /// Returns the closest pair of occurrences in two renditions, so that a repeat is not a difference.
    private func nearest(
        of ones: [RenditionOccurrence], to others: [RenditionOccurrence]
    ) -> (seconds: Double, isOfClock: Bool, occurrence: RenditionOccurrence) {
        var nearest = (seconds: Double.infinity, isOfClock: false, occurrence: ones[0])
        for one in ones {
            for other in others {
                let clock = one.clockDistance(from: other)
                let seconds = clock ?? (position(of: one) - position(of: other))
                if abs(seconds) < abs(nearest.seconds) { nearest = (seconds, clock != nil, one) }
            }
        }
        return nearest
    }

    /// Returns whether a distance exceeds the limit by more than a rounding error.
    private func isBeyondLimit(_ seconds: Double) -> Bool { abs(seconds) > limit + 1e-6 }

    // MARK: Sources

    /// Reports changes of the time offset between two sources, tag by tag.
    ///
    /// A single tag at another offset is displaced. An offset that the next tag confirms applies from there on. If the
    /// offset changes on the stream's clock but not in media time, the timestamps of one source restart, as after an
    /// EXT-X-DISCONTINUITY: information.
    mutating func checkOffsets(of tags: [AlignedTag]) {
        markRun(.renditionTimeDiffers)
        let (one, other) = (name(ofUnit: 0), name(ofUnit: 1))
        let offsets = tags.compactMap { offset(of: $0) }
        guard var current = offsets.first else { return }
        var hasChanged = false
        for (index, offset) in offsets.enumerated() where !agree(offset, current) {
            let next = offsets.dropFirst(index + 1).first
            let lasts = next.map { !agree($0, current) && agree($0, offset) } ?? false
            let restarts = offset.clock != nil && !isBeyondLimit(offset.position - current.position)
            report(
                .renditionTimeDiffers, restarts ? .pass : .fail, at: offset.occurrence.place,
                "\(offset.identity.text) in \(other) is \(Self.text(offset)) its position in \(one), "
                    + "\(lasts ? "from here on" : "only here"); the tags before it are \(Self.text(current)); "
                    + (restarts
                        ? "the timestamps of one of them restart, while the media time of both continues."
                        : "the limit of a change is \(TagDifference.text(limit))."))
            hasChanged = true
            if lasts { current = offset }
        }
        guard !hasChanged, isBeyondLimit(current.clock ?? current.position) else { return }
        if current.clock != nil, haveCommonMediaTimes {
            return report(
                .renditionTimeDiffers, .warn, at: current.occurrence.place,
                "Every tag in \(other) is \(Self.text(current)) its place in \(one), while audio and video have the "
                    + "same times in both: a hop between them moves the tags; the limit is "
                    + "\(TagDifference.text(limit)).")
        }
        report(
            .renditionTimeDiffers, .pass, at: current.occurrence.place,
            "\(current.clock == nil ? "Media" : "Presentation") time in \(other) is \(Self.text(current)) "
                + "that in \(one), for every tag.")
    }

    /// Records the first media time of a segment of the first rendition of a source.
    mutating func recordMediaTime(of segment: ObservedSegment, rendition: Int, isOther: Bool) {
        let unit = isOther ? 1 : 0
        guard !hasCommonTimeline, units.count == 2, units[unit].first == rendition,
            mediaTimes[unit].count < Self.capacity,
            let seconds = segment.facts?.earliestMediaTime?.seconds,
            let time = Int64(exactly: (seconds * 1_000).rounded())
        else { return }
        mediaTimes[unit].insert(time)
    }

    /// Whether most segments of the shorter source begin at times at which segments of the other one begin.
    private var haveCommonMediaTimes: Bool {
        let shorter = mediaTimes.map(\.count).min() ?? 0
        return shorter > 0 && 2 * mediaTimes[0].intersection(mediaTimes[1]).count > shorter
    }

    /// The offset of a tag in the second source from the first: on the stream's clock, if they have a common one, and
    /// in media time.
    private typealias Offset = (
        identity: RenditionTagIdentity, occurrence: RenditionOccurrence, clock: Double?, position: Double
    )

    private func offset(of tag: AlignedTag) -> Offset? {
        guard let identity = tag.identity, let base = tag.first(in: units[0][0]),
            let occurrence = tag.first(in: units[1][0])
        else { return nil }
        return (
            identity, occurrence, occurrence.clockDistance(from: base), occurrence.position - base.position
        )
    }

    private func agree(_ offset: Offset, _ other: Offset) -> Bool {
        let isOnTransportClock = offset.occurrence.isOnTransportClock
        guard let clock = offset.clock, let otherClock = other.clock,
            isOnTransportClock == other.occurrence.isOnTransportClock
        else { return !isBeyondLimit(offset.position - other.position) }
        let change = clock - otherClock
        return !isBeyondLimit(isOnTransportClock ? RenditionOccurrence.withoutPeriods(change) : change)
    }

    private static func text(_ offset: Offset) -> String {
        let seconds = offset.clock ?? offset.position
        return TagDifference.text(seconds.magnitude) + (seconds < 0 ? " before" : " after")
    }
}
