import ID3v2
import SegmentDemux
import Synchronization

/// The result of feeding a segment to a session.
public struct FedSegment: Sendable, Hashable {
    /// The number of tags that were handed over; `MeasurementSession.counts` has their outcomes.
    public let tagCount: Int
    /// The number of tags that an earlier segment already had at the same position.
    public let repeatCount: Int
}

/// Reads the tags of media segments, for players whose demuxer does not hand them over.
///
/// It does not use libav. Each track keeps the state between its segments: a program map, an initialization segment, or
/// a tag that begins in one segment and ends in the next. Tracks can be read on several threads at once.
package final class SegmentFeed: Sendable {
    /// A segment as its player describes it.
    package struct Segment: Sendable, Hashable {
        /// The position at which it begins to be presented, in seconds of the playhead; nil if it is presented now.
        package var position: Double?
        /// The number of its playlist among those that play at the same time.
        package var track = 0
        /// Whether its timestamps do not continue those of the segment before it.
        package var isDiscontinuous = false
        /// Whether it is the first one after a jump, so that earlier tags are handed over again.
        package var followsJump = false

        /// Creates a segment of the first track.
        package init(at position: Double? = nil) { self.position = position }
    }

    /// A tag, and the position at which it is presented; nil for now.
    package struct Tag: Sendable, Hashable {
        package let bytes: [UInt8]
        package let mediaTime: Double?
    }

    /// The number of tracks.
    package static let trackCount = 16

    private final class Track: Sendable {
        /// The demuxer; nil before the first segment.
        let demuxer = Mutex<SegmentDemuxer?>(nil)
    }

    private let tracks = (0..<SegmentFeed.trackCount).map { _ in Track() }
    private let history = Mutex(FedTags())

    /// Creates a feed that has read no segments.
    package init() {}

    /// Reads a segment, and returns its new tags and the number of repeated ones; nil if it is in no known container.
    package func read(_ bytes: Span<UInt8>, _ segment: Segment) -> (tags: [Tag], repeatCount: Int)? {
        if segment.followsJump { history.withLock { $0 = FedTags() } }
        let demuxed = tracks[segment.track].demuxer.withLock { demuxer -> DemuxedSegment? in
            if demuxer == nil {
                demuxer = SegmentDemuxer(limits: DemuxLimits(sharedAmong: Self.trackCount), library: nil)
            }
            demuxer?.beginSegment(isDiscontinuous: segment.isDiscontinuous || segment.followsJump)
            do throws(DemuxError) {
                try demuxer?.feed(bytes)
                return try demuxer?.endSegment()
            } catch {
                return nil
            }
        }
        guard let demuxed else { return nil }
        return history.withLock { $0.select(from: demuxed, segment) }
    }
}

/// The last tags that were handed over, to recognize those that other tracks, later segments or other qualities repeat.
private struct FedTags {
    private struct Entry {
        let hash: Int
        /// The position, or the media time without one, in seconds; nil if neither is known.
        let seconds: Double?
    }

    private var entries: [Entry] = []

    /// The number of tags that are remembered: those of more than half an hour for a tag every ten seconds.
    private static let maximumCount = 256
    /// The difference in position below which an equal tag is a repeated one, in seconds.
    private static let tolerance = 1.0
    /// The distance from its segment above which the time of a tag is not used, in seconds.
    private static let maximumDistance = 10.0

    /// Returns the tags of a segment that are new, and the number of the others.
    mutating func select(
        from demuxed: DemuxedSegment, _ segment: SegmentFeed.Segment
    ) -> (tags: [SegmentFeed.Tag], repeatCount: Int) {
        // Without positions, the media times of another timeline could equal earlier ones.
        if segment.isDiscontinuous, segment.position == nil { entries = [] }
        let earliest = demuxed.facts.earliestMediaTime ?? demuxed.tags.compactMap(\.time).first
        var tags: [SegmentFeed.Tag] = []
        for tag in demuxed.tags {
            let mediaTime = segment.position.map {
                $0 + Self.distance(of: tag, from: earliest, in: demuxed.facts)
            }
            var hasher = Hasher()
            hasher.combine(tag.bytes)
            let entry = Entry(hash: hasher.finalize(), seconds: mediaTime ?? tag.time?.seconds)
            if entries.contains(where: { Self.isRepeat(entry, of: $0) }) { continue }
            if entries.count == Self.maximumCount { entries.removeFirst() }
            entries.append(entry)
            tags.append(SegmentFeed.Tag(bytes: tag.bytes, mediaTime: mediaTime))
        }
        return (tags, demuxed.tags.count - tags.count)
    }

    private static func isRepeat(_ entry: Entry, of earlier: Entry) -> Bool {
        guard entry.hash == earlier.hash else { return false }
        guard let seconds = entry.seconds, let other = earlier.seconds else {
            return entry.seconds == nil && earlier.seconds == nil
        }
        return abs(seconds - other) < tolerance
    }

    /// Returns the seconds from the first media time of the segment to a tag; 0 if they are unknown or implausible.
    private static func distance(
        of tag: TimedMetadata, from earliest: MediaTimestamp?, in facts: CarriageFacts
    ) -> Double {
        guard let earliest, let time = tag.time else { return 0 }
        let wraps = tag.carriage.hasWrappingTime
        let distance = earliest.distance(to: time, wraps: wraps)
        let length = facts.latestMediaTime.map { max(0, earliest.distance(to: $0, wraps: wraps)) } ?? 0
        return (-maximumDistance...length + maximumDistance).contains(distance) ? distance : 0
    }
}
