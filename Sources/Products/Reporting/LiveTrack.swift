package import NielsenID3
package import StreamHealth
package import TimedMedia

/// The tags and segments of a live channel's rendition within the last hour, as its page draws them.
///
/// It keeps 40 bytes a tag and 24 a stretch of media, of a bounded number: with a tag every ten seconds some 15 kB.
package struct LiveTrack: Sendable {
    /// How many seconds are drawn.
    package static let length = 3_600.0
    /// How many tags are kept at most: those of an hour and some, and fewer minutes of a stream that has more.
    private static let maximumTagCount = 600
    /// How many stretches of media are kept at most.
    private static let maximumStretchCount = 240
    /// By how many seconds, or twice the length of a segment, the wall clock may differ from what the media lead to
    /// expect: a segment is read some time after its end, now sooner and now later.
    private static let tolerance = 12.0

    /// The media playlist's URI as its multivariant playlist has it; nil without one.
    package var name: String?
    private let policy: HealthPolicy
    private var tags: [Tag] = []
    private var stretches: [TrackedSegment] = []
    private var spacing = TagSpacing()
    private var drift = ClockDrift()
    /// The Unix time of media position 0, as far as is known.
    private var anchor: Double?

    /// What is kept of a tag, in 40 bytes; a number that is not known is NaN.
    fileprivate struct Tag: Sendable {
        /// When it was due, in Unix seconds.
        let time: Double
        var problems: CheckSet
        let audioDistance: Float
        let spacing: Float
        let drift: Float
        let firstTime: UInt32
        /// From the first time to the last.
        let span: Int16
        let sequence: UInt16
        let kind: TrackedTag.Kind
        var severity: CheckStatus
        let hasTimes: Bool
        let hasSequence: Bool
        var changesSource = false
    }

    /// A rendition of which nothing was read yet.
    package init(name: String?, policy: HealthPolicy) {
        self.name = name
        self.policy = policy
    }

    /// Takes a segment that was read, and its tags, each checked by the policy.
    ///
    /// - Parameters:
    ///   - clockGoesOn: whether its clock goes on from the segment before.
    ///   - behindLive: how many seconds of media the playlist lists after it.
    ///   - wallTime: now, in Unix seconds.
    package mutating func append(
        _ segment: ObservedSegment?, tags: [TagOccurrence], clockGoesOn: Bool, behindLive: Double,
        at wallTime: Double
    ) {
        guard wallTime.isFinite else { return }
        if !clockGoesOn {
            spacing = TagSpacing()
            drift.restart()
        }
        if let segment, segment.position.isFinite, segment.duration.isFinite {
            let expected = wallTime - behindLive - segment.duration - segment.position
            let tolerance = max(Self.tolerance, 2 * segment.duration)
            let isKept = anchor.map { ($0 - expected).magnitude <= tolerance } ?? false
            if !isKept { anchor = expected }
            append(segment, at: (anchor ?? expected) + segment.position)
        }
        for tag in tags { append(tag, in: segment) }
        forget(before: wallTime - Self.length)
    }

    private mutating func append(_ segment: ObservedSegment, at time: Double) {
        if segment.isDiscontinuity { drift.restart() }
        let wasRead = segment.facts != nil
        // Neighbours that were read are one stretch: only where one of them is missing or a discontinuity is drawn.
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
                time: anchor + tag.position, problems: CheckSet(policy.problems(of: tag)),
                audioDistance: float(AudioDistance.seconds(of: tag, in: segment)),
                spacing: float(spacing.observe(tag)), drift: float(drift.observe(tag)),
                firstTime: times?.first ?? 0, span: Int16(clamping: times?.span ?? 0),
                sequence: fields.sequence ?? 0, kind: TrackedTag.Kind(tag),
                severity: policy.severity(of: tag), hasTimes: times != nil,
                hasSequence: fields.sequence != nil))
    }

    private mutating func forget(before start: Double) {
        let old = tags.prefix { $0.time < start }.count
        tags.removeFirst(max(old, tags.count - Self.maximumTagCount))
        let gone = stretches.prefix { $0.position + $0.duration < start }.count
        stretches.removeFirst(max(gone, stretches.count - Self.maximumStretchCount))
    }

    /// Notes a finding, and what follows from it, at the tag that it names, if that is kept; of information only that a CID changes.
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

    /// What there was in the hour up to a time in Unix seconds, with positions from the start of that hour.
    func track(upTo now: Double) -> RenditionTrack {
        let start = (now - Self.length).rounded()
        let shown = tags.filter { (start...now).contains($0.time) }.map { $0.tracked(from: start) }
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
