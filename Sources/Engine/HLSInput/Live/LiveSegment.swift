import HLSPlaylist
import HTTPTransfer
import ID3v2
import NielsenID3

/// A segment of a live channel that is to be read.
package struct LiveSegment: Sendable {
    /// The segment's entry in the playlist, whose URIs may contain secrets.
    private(set) var listed: MediaSegment

    /// Whether the segment directly continues the previous one; clear it if that one is not read.
    package var isContinuation: Bool

    /// Whether this is the last segment of the channel.
    package internal(set) var isLast: Bool

    /// The base of the segment's references.
    let playlistAddress: String

    /// The addresses to which requests for the segment may go.
    let policy: AddressPolicy

    /// The target duration of its playlist, in seconds.
    package let targetSeconds: Int

    /// The secrets of the channel and of the addresses of its playlists.
    let secrets: InputSecrets

    /// Returns the segment with the addresses and keys of a newer load that lists it.
    package func relisted(as newer: LiveSegment) -> LiveSegment {
        var segment = newer
        segment.isContinuation = isContinuation
        segment.isLast = isLast
        if listed.isDiscontinuity { segment.listed.isDiscontinuity = true }
        return segment
    }

    /// The segment's URI in the playlist, without secrets.
    package var printableURI: String { secrets.hidden(inURL: listed.uri) }

    /// The segment with its references resolved.
    var resolved: Presentation.Segment { ListedSegments([listed], at: .network(playlistAddress))[0] }
}

extension LiveSegment {
    /// The media sequence number.
    package var mediaSequence: Int { listed.mediaSequence }

    /// The duration in seconds; the target duration if the playlist gives none.
    package var duration: Double { listed.duration }

    /// Whether the segment follows EXT-X-DISCONTINUITY.
    package var isDiscontinuity: Bool { listed.isDiscontinuity }

    /// Whether the playlist marks the segment as missing (EXT-X-GAP).
    package var isGap: Bool { listed.isGap }

    /// Whether the playlist places the segment in an advertisement break.
    package var isInBreak: Bool { listed.isInBreak }

    /// The program date-time in Unix milliseconds, or nil without one.
    package var programDateTimeMilliseconds: Int64? { listed.programDateTimeMilliseconds }

    /// Whether the playlist gives the date explicitly, rather than by an earlier date plus durations.
    package var statesDate: Bool { listed.statesDate }

    /// The identity of a key (EXT-X-KEY) or initialization segment (EXT-X-MAP), which segments share.
    package struct ResourceID: Sendable, Hashable {
        fileprivate enum Content: Hashable {
            case key(InputAddress)
            case initialization(InitializationSection)
        }
        fileprivate let content: Content
    }

    /// The initialization segment that must precede the segment, or nil for none.
    package var initializationID: ResourceID? { listed.map.map { ResourceID(content: .initialization($0)) } }

    /// The key of the segment, or nil for none.
    package var keyID: ResourceID? {
        resolved.encryption?.keyAddress.map { ResourceID(content: .key($0)) }
    }
}

/// The result of reading one segment of a live channel.
///
/// It is a reference, because it is passed on and kept more often than it is made.
package final class LiveSegmentReading: Sendable {
    /// The segment with its tags, whose origin is the channel.
    package let reading: SegmentReading

    /// The duration of fetching and reading.
    package let duration: Duration

    /// The number of bytes received, including an initialization segment.
    package let byteCount: UInt64

    /// The key or initialization segment without which the segment could not be read completely.
    package let missingResource: LiveSegment.ResourceID?

    /// The state of the reader before the segment, to read it again.
    let checkpoint: SegmentReader.Checkpoint

    init(
        reading: SegmentReading, duration: Duration, byteCount: UInt64,
        missingResource: LiveSegment.ResourceID?,
        checkpoint: SegmentReader.Checkpoint
    ) {
        self.reading = reading
        self.duration = duration
        self.byteCount = byteCount
        self.missingResource = missingResource
        self.checkpoint = checkpoint
    }

    private func replacing(_ reading: SegmentReading) -> LiveSegmentReading {
        LiveSegmentReading(
            reading: reading, duration: duration, byteCount: byteCount,
            missingResource: missingResource, checkpoint: checkpoint)
    }

    /// Whether only the initialization segment could not be read.
    package var lacksInitialization: Bool {
        if case .initialization = missingResource?.content { true } else { false }
    }

    /// Whether the segment was not requested, because its key could not be read.
    package var lacksKey: Bool {
        if case .key = missingResource?.content { true } else { false }
    }

    /// The error that prevented reading it completely, or nil without one.
    package var failure: InputError? { if case .failed(let error) = reading.outcome { error } else { nil } }

    /// Whether the segment could not be read, but may be readable later.
    package var isMissing: Bool { failure?.mayBeTemporary ?? false }

    /// Returns the reading with the tags of an incomplete one that began in earlier segments, and so cannot be read
    /// again.
    package func addingContinuedTags(
        of earlier: LiveSegmentReading, in segment: LiveSegment
    ) -> LiveSegmentReading {
        let number = UInt64(exactly: segment.mediaSequence)
        let continued = earlier.reading.tags.filter {
            !$0.isTruncated && $0.origin.place.mediaSequence != number && !reading.tags.contains($0)
        }
        if continued.isEmpty { return self }
        var changed = reading
        changed.tags = continued + reading.tags
        changed.observation.tags = continued + reading.observation.tags
        return replacing(changed)
    }

    /// Returns the reading without the tags that are truncated.
    package func withCompleteTags() -> LiveSegmentReading {
        guard reading.tags.contains(where: \.isTruncated) else { return self }
        var changed = reading
        changed.tags.removeAll(where: \.isTruncated)
        return replacing(changed)
    }

    /// The approximate memory of the tags in bytes; the copies of a tag share its owner identifier.
    package var tagByteCount: Int {
        let all = reading.observation.tags
        return all.reduce((reading.tags.count + all.count) * MemoryLayout<TagOccurrence>.stride) {
            $0 + $1.tag.ownerIdentifier.count
        }
    }

    /// Whether the bytes end within a packet or box, as of a segment that is still being written.
    package var isTruncated: Bool {
        if case .read(_, let facts) = reading.outcome { facts.isTruncated } else { false }
    }

    /// The stated duration minus that of the media, in seconds; 0 if the media is longer or its times are unknown.
    package func missingSeconds(of segment: LiveSegment) -> Double {
        guard case .read(_, let facts) = reading.outcome, let first = facts.earliestMediaTime,
            let last = facts.latestMediaTime
        else { return 0 }
        let duration = first.distance(to: last, wraps: facts.container.hasWrappingTime)
        return duration < 0 ? 0 : max(0, segment.duration - duration)
    }
}
