package import ID3v2
package import NielsenID3
package import StreamHealth

/// The tags and segments of the last hour of a live channel's rendition, for the plots on its page.
///
/// It keeps 40 bytes per tag and 24 bytes per stretch of media, both bounded in number: about 15 kB with a tag every
/// ten seconds.
package struct LiveTrack: Sendable {
    /// The time range of the plots, in seconds.
    package static let length = 3_600.0
    /// The maximum number of tags kept: slightly more than an hour's worth, and less time for a stream with more tags.
    private static let maximumTagCount = 600
    /// The maximum number of media stretches kept.
    private static let maximumStretchCount = 240
    /// The minimum tolerated difference between the wall clock and the time expected from the media, in seconds.
    ///
    /// Twice the segment duration applies if that is longer. A segment is read some time after its end, and that time
    /// varies.
    private static let tolerance = 12.0

    /// The media playlist's URI as written in its multivariant playlist; nil without one.
    package var name: String?
    private var tags: [Tag] = []
    private var stretches: [TrackedSegment] = []
    private var spacing = TagSpacing()
    private var drift = ClockDrift()
    /// The estimated Unix time of media position 0; nil while unknown.
    private var anchor: Double?

    /// The stored fields of a tag, in 40 bytes; NaN marks an unknown number.
    fileprivate struct Tag: Sendable {
        /// The time at which the tag was due, in Unix seconds.
        let time: Double
        var problems: CheckSet
        let audioDistance: Float
        let spacing: Float
        let drift: Float
        let firstTime: UInt32
        /// The difference from the first time to the last, in seconds.
        let span: Int16
        let sequence: UInt16
        let kind: TrackedTag.Kind
        var severity: CheckStatus
        let hasTimes: Bool
        let hasSequence: Bool
        var changesSource = false
    }

    /// Creates an empty track.
    package init(name: String?) { self.name = name }

    /// Appends a segment that was read, with its tags.
    ///
    /// - Parameters:
    ///   - clockGoesOn: whether its clock continues from the previous segment.
    ///   - behindLive: the duration of the media that the playlist lists after it, in seconds.
    ///   - wallTime: the current time.
    package mutating func append(
        _ segment: ObservedSegment?, tags: [TagOccurrence], clockGoesOn: Bool, behindLive: Double,
        at wallTime: WallTime
    ) {
        let now = wallTime.unixSeconds
        guard now.isFinite else { return }
        if !clockGoesOn {
            spacing = TagSpacing()
            drift.restart()
        }
        if let segment, segment.position.isFinite, segment.duration.isFinite {
            let expected = now - behindLive - segment.duration - segment.position
            let tolerance = max(Self.tolerance, 2 * segment.duration)
            let isKept = anchor.map { ($0 - expected).magnitude <= tolerance } ?? false
            if !isKept { anchor = expected }
            append(segment, at: (anchor ?? expected) + segment.position)
        }
        for tag in tags { append(tag, in: segment) }
        forget(before: now - Self.length)
    }

    private mutating func append(_ segment: ObservedSegment, at time: Double) {
        if segment.isDiscontinuity { drift.restart() }
        let wasRead = segment.facts != nil
        // Adjacent stretches that were read are merged: only unread stretches and discontinuities are drawn separately.
        if let last = stretches.last, last.wasRead, wasRead, !segment.isDiscontinuity,
            (last.position + last.duration - time).magnitude < 1
        {
            stretches[stretches.count - 1].duration = time + segment.duration - last.position
            return
        }
        stretches.append(
            TrackedSegment(
                position: time, duration: segment.duration, isDiscontinuity: segment.isDiscontinuity,
                wasRead: wasRead))
    }

    private mutating func append(_ tag: TagOccurrence, in segment: ObservedSegment?) {
        guard let anchor, tag.position.isFinite else { return }
        let fields = tag.tag
        func float(_ value: Double?) -> Float { value.map(Float.init) ?? .nan }
        let times = fields.firstTime.flatMap { first in
            fields.lastTime.map { (first: first, span: Int64($0) - Int64(first)) }
        }
        tags.append(
            Tag(
                time: anchor + tag.position, problems: CheckSet(tag.problems),
                audioDistance: float(AudioDistance.seconds(of: tag, in: segment)),
                spacing: float(spacing.observe(tag)), drift: float(drift.observe(tag)),
                firstTime: times?.first ?? 0, span: Int16(clamping: times?.span ?? 0),
                sequence: fields.sequence ?? 0, kind: TrackedTag.Kind(tag),
                severity: tag.severity, hasTimes: times != nil,
                hasSequence: fields.sequence != nil))
    }

    private mutating func forget(before start: Double) {
        let old = tags.prefix { $0.time < start }.count
        tags.removeFirst(max(old, tags.count - Self.maximumTagCount))
        let gone = stretches.prefix { $0.position + $0.duration < start }.count
        stretches.removeFirst(max(gone, stretches.count - Self.maximumStretchCount))
    }

    /// Marks a finding and its consequences at the tag that it names, if that tag is still kept.
    ///
    /// Information is ignored, except for a change of CID.
    package mutating func mark(_ check: CheckID, _ finding: Finding) {
        guard finding.place.rendition == name, finding.place.tagIndex != nil, let anchor,
            let position = finding.place.position
        else { return }
        let index = tags.lastIndex { tag in
            (tag.time - anchor - position).magnitude < 0.001
                && tag.sequence == finding.place.sequence ?? tag.sequence
        }
        guard let index else { return }
        if check == .cidChange { tags[index].changesSource = true }
        let raised = [(check, finding.status)] + finding.consequences.map { ($0.check, $0.status) }
        for (check, status) in raised where status > .pass {
            tags[index].problems.insert(check)
            tags[index].severity = max(tags[index].severity, status)
        }
    }

    /// Returns the track of the hour up to a time, with positions from the start of that hour.
    func track(upTo wallTime: WallTime) -> RenditionTrack {
        let now = wallTime.unixSeconds
        let start = (now - Self.length).rounded()
        let shown = tags.filter { $0.time >= start && $0.time <= now }.map { $0.tracked(from: start) }
        let segments = stretches.filter { $0.position + $0.duration > start && $0.position < now }
            .map { stretch in
                let from = max(start, stretch.position)
                return TrackedSegment(
                    position: from - start, duration: min(now, stretch.position + stretch.duration) - from,
                    isDiscontinuity: stretch.isDiscontinuity && stretch.position >= start,
                    wasRead: stretch.wasRead)
            }
        return RenditionTrack(
            name: name, tags: shown, segments: segments,
            clock: .wall(origin: Int64(exactly: start) ?? 0))
    }
}

extension LiveTrack.Tag {
    fileprivate func tracked(from start: Double) -> TrackedTag {
        func known(_ value: Float) -> Float? { value.isFinite ? value : nil }
        return TrackedTag(
            position: time - start, seconds: nil, pts: nil, audioDistance: known(audioDistance),
            spacing: known(spacing), drift: known(drift), changesSource: changesSource, segment: nil,
            carriage: 0, kind: kind, sequence: hasSequence ? sequence : nil,
            firstTime: hasTimes ? firstTime : nil,
            lastTime: hasTimes ? UInt32(clamping: Int64(firstTime) + Int64(span)) : nil, pcCID: nil,
            fdCID: nil,
            pcOffset: nil, fdOffset: nil, breakout: nil, isChecksumValid: nil, problems: problems,
            severity: severity)
    }
}
