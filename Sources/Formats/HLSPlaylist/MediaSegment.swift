/// A media segment of a media playlist (RFC 8216, section 3 and 4.3.2).
package struct MediaSegment: Sendable, Hashable {
    /// The URI as written in the playlist, with variables replaced; relative to the playlist's URI.
    package var uri: String

    /// The duration in seconds; the target duration if EXTINF is absent or invalid.
    package var duration: Double

    /// The title in EXTINF: any text, usually empty.
    package var title: String

    /// The byte range of the segment in its resource; nil for the entire resource.
    package var byteRange: ByteRange?

    /// The media sequence number.
    package var mediaSequence: Int

    /// The discontinuity sequence number (RFC 8216, 6.2.1).
    package var discontinuitySequence: Int

    /// Whether an EXT-X-DISCONTINUITY precedes the segment.
    package var isDiscontinuity: Bool

    /// Whether the segment is absent and must not be loaded (EXT-X-GAP; second edition, 4.4.4.7).
    package var isGap: Bool

    /// The date of the first sample in Unix milliseconds; nil if none is stated since the last discontinuity.
    ///
    /// Between two stated dates it is extrapolated from the durations.
    package var programDateTimeMilliseconds: Int64?

    /// Whether the segment has its own EXT-X-PROGRAM-DATE-TIME.
    package var statesDate: Bool

    /// The keys that decrypt the segment, in order and one per key format; empty if it is not encrypted.
    package var keys: [EncryptionKey]

    /// The initialization segment that must precede it; nil without EXT-X-MAP.
    package var map: InitializationSection?

    /// The line of its URI in the playlist, counted from 1.
    package var line: Int

    /// The EXT-X-CUE-OUT break that is active at the start of the segment; nil outside of a break.
    var cueBreak: CueBreak?

    /// Whether the midpoint of the segment is in a date range with SCTE35-OUT.
    var isInBreakDateRange = false

    /// Whether the playlist marks the segment as part of an advertisement break.
    package var isInBreak: Bool { cueBreak != nil || isInBreakDateRange }

    /// The key of sixteen plain bytes; without one, the first of the keys.
    package var key: EncryptionKey? { keys.first { $0.isIdentity } ?? keys.first }

    /// Creates a segment.
    package init(
        uri: String, duration: Double, title: String = "", byteRange: ByteRange? = nil, mediaSequence: Int,
        discontinuitySequence: Int = 0, isDiscontinuity: Bool = false, isGap: Bool = false,
        programDateTimeMilliseconds: Int64? = nil, statesDate: Bool = false, keys: [EncryptionKey] = [],
        map: InitializationSection? = nil, line: Int = 0
    ) {
        self.uri = uri
        self.duration = duration
        self.title = title
        self.byteRange = byteRange
        self.mediaSequence = mediaSequence
        self.discontinuitySequence = discontinuitySequence
        self.isDiscontinuity = isDiscontinuity
        self.isGap = isGap
        self.programDateTimeMilliseconds = programDateTimeMilliseconds
        self.statesDate = statesDate
        self.keys = keys
        self.map = map
        self.line = line
    }
}

extension MediaSegment {
    /// Hashes the segment without its keys and initialization segment.
    ///
    /// Thousands of segments may share keys of a megabyte.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(uri)
        hasher.combine(duration)
        hasher.combine(title)
        hasher.combine(byteRange)
        hasher.combine(mediaSequence)
        hasher.combine(discontinuitySequence)
        hasher.combine(isDiscontinuity)
        hasher.combine(isGap)
        hasher.combine(programDateTimeMilliseconds)
        hasher.combine(statesDate)
        hasher.combine(line)
        hasher.combine(cueBreak)
        hasher.combine(isInBreakDateRange)
    }
}

/// The initialization segment declared by EXT-X-MAP (RFC 8216, 4.3.2.5).
package struct InitializationSection: Sendable, Hashable {
    /// The URI as written in the playlist, with variables replaced.
    package let uri: String

    /// The byte range in its resource; nil for the entire resource.
    package let byteRange: ByteRange?

    /// The keys that decrypt it, as for a segment; a valid AES-128 key has an IV attribute.
    package let keys: [EncryptionKey]

    /// The key of sixteen plain bytes; without one, the first of the keys.
    package var key: EncryptionKey? { keys.first { $0.isIdentity } ?? keys.first }

    /// Creates an initialization segment.
    package init(uri: String, byteRange: ByteRange? = nil, keys: [EncryptionKey] = []) {
        self.uri = uri
        self.byteRange = byteRange
        self.keys = keys
    }
}

extension InitializationSection {
    /// Hashes the section without its keys, which may be long and belong to thousands of segments.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(uri)
        hasher.combine(byteRange)
    }
}
