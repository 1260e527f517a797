import StreamHealth
import TextForms

/// What a page draws of a track beside its tags, as the checks measured and found it: distances between tags, the drift
/// of the clocks, where the source changes and where tags are missing.
struct TrackAnalysis {
    /// One value at one tag.
    struct Point {
        /// Which of the track's tags.
        let tag: Int
        /// Seconds of media.
        let position: Double
        let value: Double
    }

    /// A stretch of media time.
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
    /// Between which DATA tags there is a finding of `time.gap`.
    private(set) var gaps: [Stretch] = []
    /// Segments that could not be read, neighbours together.
    private(set) var unread: [Stretch] = []
    /// Where a segment begins after EXT-X-DISCONTINUITY.
    private(set) var discontinuities: [Mark] = []

    init(_ track: RenditionTrack) {
        readSegments(of: track)
        readTags(of: track)
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
                    + "\(track.clock.text(run.from)) to \(track.clock.text(run.to))")
        }
        for segment in track.segments {
            if segment.isDiscontinuity {
                discontinuities.append(
                    Mark(
                        position: segment.position,
                        title: "discontinuity at \(track.clock.text(segment.position))"))
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

    private mutating func readTags(of track: RenditionTrack) {
        var lastPlace: Double?
        for (index, tag) in track.tags.enumerated() {
            func point(_ value: Float) -> Point {
                Point(tag: index, position: tag.position, value: Double(value))
            }
            if let distance = tag.audioDistance { audioDistance.append(point(distance)) }
            if let distance = tag.spacing { spacing.append(point(distance)) }
            if let gained = tag.drift { drift.append(point(gained)) }
            if tag.changesSource {
                sourceChanges.append(
                    Mark(
                        position: tag.position,
                        title: "another source: a CID changes at \(track.clock.text(tag.position))"))
            }
            if let lastPlace, tag.problems.contains(.timeGap) {
                gaps.append(
                    Stretch(
                        from: lastPlace, to: tag.position,
                        title: "gap in the tags (time.gap), "
                            + "\(track.clock.text(lastPlace)) to \(track.clock.text(tag.position))"))
            }
            if tag.kind != .info, tag.kind != .unknown { lastPlace = tag.position }
        }
    }
}
