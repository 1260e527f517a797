import NielsenID3
import StreamHealth
import TextForms

/// What a page draws of a track beside its tags: distances between tags, the drift of the clocks, where the source
/// changes and where tags are missing.
struct TrackAnalysis {
    /// One value at one tag.
    struct Point {
        /// Which of the track's tags.
        let tag: Int
        /// Seconds of programme.
        let position: Double
        let value: Double
    }

    /// A stretch of programme.
    struct Stretch {
        let from: Double
        let to: Double
        let title: String
    }

    /// A place that a drawing marks.
    struct Mark {
        let position: Double
        let title: String
    }

    /// Seconds from each DATA tag back to the one before.
    private(set) var spacing: [Point] = []
    /// Seconds that the tag clock has gained on the stream's since the run began.
    private(set) var drift: [Point] = []
    /// Seconds from the audio to each tag.
    private(set) var audioDistance: [Point] = []
    /// Where a CID becomes another one.
    private(set) var sourceChanges: [Mark] = []
    /// Between which DATA tags there is more time on the tag clock than the limit allows.
    private(set) var gaps: [Stretch] = []
    /// Segments that could not be read, neighbours together.
    private(set) var unread: [Stretch] = []
    /// Where a segment begins behind EXT-X-DISCONTINUITY.
    private(set) var discontinuities: [Mark] = []

    /// A step between the two clocks beyond this many seconds is a jump, and no drift.
    private static let jump = 30.0

    init(_ track: RenditionTrack, policy: HealthPolicy) {
        readSegments(of: track)
        readTags(of: track, gapLimit: policy[.gap])
    }

    /// The median of the spacing in seconds; nil where there is none.
    var medianSpacing: Double? {
        let sorted = spacing.map(\.value).sorted()
        return sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }

    private mutating func readSegments(of track: RenditionTrack) {
        var open: (from: Double, to: Double, count: Int)?
        func stretch(_ run: (from: Double, to: Double, count: Int)) -> Stretch {
            Stretch(
                from: run.from, to: run.to,
                title: "\(VerdictText.count(run.count, "segment", "segments")) not read, "
                    + "\(DecimalText.clock(run.from)) to \(DecimalText.clock(run.to))")
        }
        for segment in track.segments {
            if segment.isDiscontinuity {
                discontinuities.append(
                    Mark(
                        position: segment.position,
                        title: "discontinuity at \(DecimalText.clock(segment.position))"))
            }
            if segment.wasRead {
                if let run = open { unread.append(stretch(run)) }
                open = nil
            } else {
                let end = segment.position + segment.duration
                open = (open?.from ?? segment.position, end, (open?.count ?? 0) + 1)
            }
        }
        if let run = open { unread.append(stretch(run)) }
    }

    private mutating func readTags(of track: RenditionTrack, gapLimit: Double) {
        var last: TrackedTag?
        var lastPlace: Double?
        var base = 0.0
        var previousOffset: Double?
        var lastPC: Int32?
        var lastFD: Int32?
        var nextDiscontinuity = 0
        for (index, tag) in track.tags.enumerated() {
            if let distance = tag.audioDistance {
                audioDistance.append(Point(tag: index, position: tag.position, value: Double(distance)))
            }
            // The place of a damaged tag counts as filled.
            guard tag.kind != .info, tag.kind != .unknown else { continue }
            let isRepeat =
                tag.isSoundData && last?.sequence == tag.sequence && last?.firstTime == tag.firstTime
            if let lastPlace, !isRepeat {
                spacing.append(Point(tag: index, position: tag.position, value: tag.position - lastPlace))
            }
            if !isRepeat { lastPlace = tag.position }
            guard tag.isSoundData else {
                last = nil
                continue
            }
            var isNewRun = false
            while nextDiscontinuity < discontinuities.count,
                discontinuities[nextDiscontinuity].position <= tag.position
            {
                nextDiscontinuity += 1
                isNewRun = true
            }
            if let last, !isNewRun { noteGap(from: last, to: tag, limit: gapLimit) }
            if let seconds = tag.seconds, let lastTime = tag.lastTime {
                let offset = Double(lastTime) - seconds
                if isNewRun || abs(offset - (previousOffset ?? offset)) > Self.jump { base = offset }
                if previousOffset == nil { base = offset }
                previousOffset = offset
                drift.append(Point(tag: index, position: tag.position, value: offset - base))
            }
            noteSource(of: tag, in: track, &lastPC, &lastFD)
            last = tag
        }
    }

    private mutating func noteGap(
        from last: TrackedTag, to tag: TrackedTag, limit: Double
    ) {
        guard let end = last.lastTime, let start = tag.firstTime else { return }
        let gap = Double(start) - Double(end)
        // The other clock tells a gap in the stream from two inserters with clocks apart.
        guard gap > limit, tag.position > last.position else { return }
        gaps.append(
            Stretch(
                from: last.position, to: tag.position,
                title: "no tag for \(DecimalText.short(gap)) s of the tag clock, "
                    + "\(DecimalText.clock(last.position)) to \(DecimalText.clock(tag.position))"))
    }

    private mutating func noteSource(
        of tag: TrackedTag, in track: RenditionTrack, _ lastPC: inout Int32?, _ lastFD: inout Int32?
    ) {
        var changed: [String] = []
        if let id = known(tag.pcCID, in: track) {
            if let lastPC, lastPC != id { changed.append("PC") }
            lastPC = id
        }
        if let id = known(tag.fdCID, in: track) {
            if let lastFD, lastFD != id { changed.append("FD") }
            lastFD = id
        }
        guard !changed.isEmpty else { return }
        let names = changed.joined(separator: " and ") + (changed.count == 1 ? " CID" : " CIDs")
        sourceChanges.append(
            Mark(
                position: tag.position,
                title: "another source: the \(names) changed at \(DecimalText.clock(tag.position))"))
    }

    /// A CID that names content; the null CID names none.
    private func known(_ index: Int32?, in track: RenditionTrack) -> Int32? {
        guard let index, !track.contentIDs[Int(index)].isNull else { return nil }
        return index
    }
}
