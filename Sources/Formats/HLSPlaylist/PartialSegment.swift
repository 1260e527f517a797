/// A part of a segment of a low-latency playlist (second edition, 4.4.4.9): read, and not needed by anything here.
package struct PartialSegment: Sendable, Hashable {
    /// The part's URI as the playlist has it.
    package let uri: String

    /// How long it lasts, in seconds.
    package let duration: Double

    /// The part of the resource that it is; nil for all of it.
    package let byteRange: ByteRange?

    /// The media sequence number of the segment that it is a part of.
    package let mediaSequence: Int

    /// Which part of that segment, from 0.
    package let index: Int

    /// Whether it begins with what can be decoded by itself.
    package let isIndependent: Bool

    /// Whether it is absent.
    package let isGap: Bool
}

/// What a client may load before it is listed (second edition, 4.4.5.3).
package struct PreloadHint: Sendable, Hashable {
    /// What kind of resource it is.
    package let kind: Kind

    /// The resource's URI as the playlist has it.
    package let uri: String

    /// Where in the resource it begins, in bytes.
    package let offset: Int

    /// How many bytes it has; nil for the rest of the resource.
    package let length: Int?

    /// A kind of resource.
    package enum Kind: String, Sendable, Hashable {
        /// A part of a segment.
        case part = "PART"
        /// An initialization segment.
        case map = "MAP"
    }
}

/// What a server can do for a client (second edition, 4.4.3.8).
package struct ServerControl: Sendable, Hashable {
    /// Whether a request may wait for a segment that is not there yet.
    package let canBlockReload: Bool

    /// How far from the end a client must stay, in seconds.
    package let holdBack: Double?

    /// How far from the end a client that plays parts must stay, in seconds.
    package let partHoldBack: Double?

    /// How old segments must be to be left out of an update, in seconds.
    package let canSkipUntil: Double?
}
