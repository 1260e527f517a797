/// A partial segment of a low-latency playlist (second edition, 4.4.4.9), parsed but not used by other modules.
package struct PartialSegment: Sendable, Hashable {
    /// The URI as written in the playlist.
    package let uri: String

    /// The duration in seconds.
    package let duration: Double

    /// The byte range in its resource; nil for the entire resource.
    package let byteRange: ByteRange?

    /// The media sequence number of the segment to which it belongs.
    package let mediaSequence: Int

    /// The index of the part in that segment, counted from 0.
    package let index: Int

    /// Whether the part begins with an independently decodable frame.
    package let isIndependent: Bool

    /// Whether the part is absent.
    package let isGap: Bool
}

/// A resource that a client may load before it is listed (second edition, 4.4.5.3).
package struct PreloadHint: Sendable, Hashable {
    /// The kind of resource.
    package let kind: Kind

    /// The URI as written in the playlist.
    package let uri: String

    /// The offset in the resource, in bytes.
    package let offset: Int

    /// The length in bytes; nil for the rest of the resource.
    package let length: Int?

    /// A kind of resource.
    package enum Kind: String, Sendable, Hashable {
        /// A partial segment.
        case part = "PART"
        /// An initialization segment.
        case map = "MAP"
    }
}

/// The capabilities of a server (second edition, 4.4.3.8).
package struct ServerControl: Sendable, Hashable {
    /// Whether the server can hold a request until a future segment is available.
    package let canBlockReload: Bool

    /// The minimum distance of a client from the end of the playlist, in seconds.
    package let holdBack: Double?

    /// The minimum distance from the end for a client that plays parts, in seconds.
    package let partHoldBack: Double?

    /// The minimum age of segments that an update may skip, in seconds.
    package let canSkipUntil: Double?
}
