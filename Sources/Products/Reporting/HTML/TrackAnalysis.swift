import StreamHealth
import TextForms

/// The data that a page draws in addition to a track's tags, as the checks measured and found it.
///
/// It contains the distances between tags, the clock drift, the source changes, and the stretches without tags.
struct TrackAnalysis {
    /// A value at one tag.
    struct Point {
        /// The index of the tag in the track.
        let tag: Int
        /// The media position in seconds.
        let position: Double
        let value: Double
    }

    /// A stretch of media time.
    struct Stretch {
        let from: Double
        let to: Double
        let title: String
    }

    /// A marked position in a drawing.
    struct Mark {
        let position: Double
        let title: String
    }

    /// Seconds from each DATA tag back to the previous one.
    private(set) var spacing: [Point] = []
    /// The gain of the tag clock over the stream's clock since the start of the run, in seconds.
    private(set) var drift: [Point] = []
    /// Seconds from the audio to each tag.
    private(set) var audioDistance: [Point] = []
    /// The positions where a CID changes.
    private(set) var sourceChanges: [Mark] = []
    /// The stretches between DATA tags with a `time.gap` finding.
    private(set) var gaps: [Stretch] = []
    /// The segments that could not be read, with adjacent ones merged.
    private(set) var unread: [Stretch] = []
    /// The starts of segments after EXT-X-DISCONTINUITY.
    private(set) var discontinuities: [Mark] = []

    init(_ track: RenditionTrack) {
        readSegments(of: track)
        readTags(of: track)
    }

    /// The median spacing in seconds; nil without spacings.
    var medianSpacing: Double? {
        let sorted = spacing.map(\.value).sorted()
        return sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }

    private mutating func readSegments(of track: RenditionTrack) {
        var open: (from: Double, to: Double, count: Int)?
        func stretch(_ run: (from: Double, to: Double, count: Int)) -> Stretch {
            Stretch(
                from: run.from, to: run.to,
                title: "\(DecimalText.groupedCount(run.count, "segment")) not read, "
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
                        title: "source change: a CID changes at \(track.clock.text(tag.position))"))
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
