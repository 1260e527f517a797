/// A part of a segment of a low-latency playlist (second edition, 4.4.4.9): read, and needed by nothing.
public struct PartialSegment: Sendable, Hashable {
    /// The part's URI as the playlist has it.
    public let uri: String

    /// How long it lasts, in seconds.
    public let duration: Double

    /// The part of the resource that it is; nil for the whole.
    public let byteRange: ByteRange?

    /// The media sequence number of the segment that it is a part of.
    public let mediaSequence: Int

    /// Which part of that segment, from 0.
    public let index: Int

    /// Whether it begins with what can be decoded by itself.
    public let isIndependent: Bool

    /// Whether it is absent.
    public let isGap: Bool
}

/// What a client may load ahead of its being listed (second edition, 4.4.5.3).
public struct PreloadHint: Sendable, Hashable {
    /// What kind of resource it is.
    public let kind: Kind

    /// The resource's URI as the playlist has it.
    public let uri: String

    /// Where in the resource it begins, in bytes.
    public let offset: Int

    /// How many bytes it has; nil for the rest of the resource.
    public let length: Int?

    /// A kind of resource.
    public enum Kind: String, Sendable, Hashable {
        /// A part of a segment.
        case part = "PART"
        /// An initialisation section.
        case map = "MAP"
    }
}

/// What a server can do for a client (second edition, 4.4.3.8).
public struct ServerControl: Sendable, Hashable {
    /// Whether a request may wait for a segment that is not there yet.
    public let canBlockReload: Bool

    /// How far from the end a client must stay, in seconds.
    public let holdBack: Double?

    /// How far from the end a client that plays parts must stay, in seconds.
    public let partHoldBack: Double?

    /// How old segments must be to be left out of an update, in seconds.
    public let canSkipUntil: Double?
}
