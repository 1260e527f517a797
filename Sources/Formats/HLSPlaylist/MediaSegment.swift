/// One media segment of a media playlist (RFC 8216, section 3 and 4.3.2).
package struct MediaSegment: Sendable, Hashable {
    /// The segment's URI as the playlist has it, variables replaced; relative to the playlist's own.
    package var uri: String

    /// How long it lasts, in seconds; the target duration where EXTINF is absent or unreadable.
    package var duration: Double

    /// The title of EXTINF; mostly empty, and anything where it is not.
    package var title: String

    /// The part of the resource that it is; nil for all of it.
    package var byteRange: ByteRange?

    /// Its media sequence number.
    package var mediaSequence: Int

    /// Its discontinuity sequence number (RFC 8216, 6.2.1).
    package var discontinuitySequence: Int

    /// Whether an EXT-X-DISCONTINUITY stands before it.
    package var isDiscontinuity: Bool

    /// Whether it is absent and must not be loaded (EXT-X-GAP; second edition, 4.4.4.7).
    package var isGap: Bool

    /// The date of its first sample in Unix milliseconds; nil where none is stated since the last discontinuity.
    ///
    /// Between two stated dates it is carried forward by the durations.
    package var programDateTimeMilliseconds: Int64?

    /// Whether an EXT-X-PROGRAM-DATE-TIME of its own states that date.
    package var statesDate: Bool

    /// The keys that decrypt it, one for each key format, in their order; empty where it is not encrypted.
    package var keys: [EncryptionKey]

    /// The initialization segment that must be read before it; nil without EXT-X-MAP.
    package var map: InitializationSection?

    /// The line of its URI in the playlist, counted from 1.
    package var line: Int

    /// The break that EXT-X-CUE-OUT began and that is not over where it begins; nil outside of one.
    var cueBreak: CueBreak?

    /// Whether its middle is in a date range with SCTE35-OUT.
    var isInBreakDateRange = false

    /// Whether the playlist says that it belongs to an advertisement break.
    package var isInBreak: Bool { cueBreak != nil || isInBreakDateRange }

    /// The key of sixteen plain bytes where there is one, or else the first of the keys.
    package var key: EncryptionKey? { keys.first { $0.isIdentity } ?? keys.first }

    /// One segment.
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

/// The initialization segment that EXT-X-MAP names (RFC 8216, 4.3.2.5).
package struct InitializationSection: Sendable, Hashable {
    /// Its URI as the playlist has it, variables replaced.
    package let uri: String

    /// The part of the resource that it is; nil for all of it.
    package let byteRange: ByteRange?

    /// The keys that decrypt it, as for a segment; a valid one of AES-128 states its IV.
    package let keys: [EncryptionKey]

    /// The key of sixteen plain bytes where there is one, or else the first of the keys.
    package var key: EncryptionKey? { keys.first { $0.isIdentity } ?? keys.first }

    /// One initialization segment.
    package init(uri: String, byteRange: ByteRange? = nil, keys: [EncryptionKey] = []) {
        self.uri = uri
        self.byteRange = byteRange
        self.keys = keys
    }
}
