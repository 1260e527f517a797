/// The source of a tag and its location in that source.
public enum TagOrigin: Sendable, Hashable {
    /// A segment of recorded input.
    case recording(TagPlace)

    /// A segment of a live channel; `id` is the name that the operator configured.
    case channel(id: String, TagPlace)

    /// A player's session, which passed the tag.
    case session(SessionPlace, TagPlace)

    /// The location of the tag in its source.
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

/// The input, the rendition and the media segment of a tag; unknown parts are nil or empty.
public struct TagPlace: Sendable, Hashable {
    /// The input as the user specified it: a path or a URL.
    ///
    /// Empty if a player did not specify its source.
    public var source: String

    /// The URIs of the media playlists that carry the tag, as written in their multivariant playlist.
    ///
    /// Empty without a multivariant playlist. The tag was read from the first; the others carry copies of it.
    public var renditions: [String]

    /// The segment's URI as written in its playlist, or its file name in a directory; nil for a bare segment.
    public var segment: String?

    /// The media sequence number of the segment (RFC 8216, section 6.2.1); nil without a playlist.
    public var mediaSequence: UInt64?

    /// The program date and time of the tag in Unix milliseconds (RFC 8216, section 4.3.2.6); nil without one.
    public var programDateTime: Int64?

    /// Creates a location from the known parts.
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
