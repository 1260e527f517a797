/// Where a tag comes from, and where in that it was found.
public enum TagOrigin: Sendable, Hashable {
    /// A segment of recorded input.
    case recording(TagPlace)

    /// A segment of a live channel; `id` is the channel's, as its operator named it.
    case channel(id: String, TagPlace)

    /// A player's session, which handed the tag over.
    case session(SessionPlace, TagPlace)

    /// Where it was found.
    public var place: TagPlace {
        get {
            switch self {
            case .recording(let place), .channel(_, let place), .session(_, let place): place
            }
        }
        set {
            switch self {
            case .recording: self = .recording(newValue)
            case .channel(let id, _): self = .channel(id: id, newValue)
            case .session(let session, _): self = .session(session, newValue)
            }
        }
    }
}

/// The input, the rendition and the media segment that a tag was found in, as far as they are known.
public struct TagPlace: Sendable, Hashable {
    /// The input as the user gave it: a path, or an address.
    ///
    /// Empty where a player did not say what it plays.
    public var source: String

    /// The URIs of the media playlists that carry the tag, as their multivariant playlist has them.
    ///
    /// Empty without one. The first is the one it was read from; the others carry copies of it.
    public var renditions: [String]

    /// The segment's URI as its playlist has it, or its file name in a directory; nil for a bare segment.
    public var segment: String?

    /// The media sequence number of the segment (RFC 8216, section 6.2.1); nil without a playlist.
    public var mediaSequence: UInt64?

    /// The program date and time of the tag in Unix milliseconds (RFC 8216, section 4.3.2.6); nil without one.
    public var programDateTime: Int64?

    /// A place with the parts that are known.
    public init(
        source: String, renditions: [String] = [], segment: String? = nil, mediaSequence: UInt64? = nil,
        programDateTime: Int64? = nil
    ) {
        self.source = source
        self.renditions = renditions
        self.segment = segment
        self.mediaSequence = mediaSequence
        self.programDateTime = programDateTime
    }
}
