/// A playlist of the variant streams and renditions of one presentation (RFC 8216, 4.3.4).
package struct MultivariantPlaylist: Sendable, Hashable {
    /// The variant streams, in playlist order.
    package internal(set) var variants: [VariantStream] = []

    /// The I-frame variant streams (EXT-X-I-FRAME-STREAM-INF).
    package internal(set) var iFrameVariants: [VariantStream] = []

    /// The renditions of all groups, in playlist order.
    package internal(set) var renditions: [Rendition] = []

    /// The data about the presentation (EXT-X-SESSION-DATA).
    package internal(set) var sessionData: [SessionData] = []

    /// The keys used by the media playlists (EXT-X-SESSION-KEY).
    package internal(set) var sessionKeys: [EncryptionKey] = []

    /// EXT-X-VERSION; nil if it is absent or invalid, which means 1.
    package internal(set) var version: Int?

    /// The variables defined by EXT-X-DEFINE, which media playlists may import.
    package internal(set) var variables: [String: String] = [:]

    /// The invalid lines.
    package internal(set) var problems = PlaylistProblems()

    /// Creates a playlist without variants.
    package init() {}

    /// The first variant with the lowest BANDWIDTH; one without BANDWIDTH counts as the highest.
    package var lowestBandwidthVariant: VariantStream? {
        variants.min { ($0.bandwidth ?? .max) < ($1.bandwidth ?? .max) }
    }

    /// The first variant with the highest BANDWIDTH; one without BANDWIDTH counts as 0.
    package var highestBandwidthVariant: VariantStream? {
        var highest: VariantStream?
        for variant in variants where highest.map({ (variant.bandwidth ?? 0) > ($0.bandwidth ?? 0) }) ?? true
        {
            highest = variant
        }
        return highest
    }

    /// Returns the audio that a client plays by default with the variants of each audio group (RFC 8216, 4.3.4.1).
    ///
    /// It is the default rendition of the group, else the first with AUTOSELECT, else the first. A rendition without a
    /// URI is contained in the variant. The cost is linear in the number of renditions.
    package func defaultAudioByGroup() -> [String: Rendition] {
        func rank(_ rendition: Rendition) -> Int {
            rendition.isDefault ? 2 : rendition.isAutoselected ? 1 : 0
        }
        var found: [String: Rendition] = [:]
        for rendition in renditions where rendition.kind == .audio {
            if let best = found[rendition.groupID], rank(best) >= rank(rendition) { continue }
            found[rendition.groupID] = rendition
        }
        return found
    }
}

/// A variant stream (RFC 8216, 4.3.4.2 and 4.3.4.3).
package struct VariantStream: Sendable, Hashable {
    /// The URI of the media playlist as written in the multivariant playlist, with variables replaced.
    package let uri: String

    /// The peak bit rate in bits per second; nil if it is absent or invalid.
    package let bandwidth: Int?

    /// The average bit rate in bits per second.
    package let averageBandwidth: Int?

    /// The codecs, in the notation of RFC 6381.
    package let codecs: [String]

    /// The video resolution.
    package let resolution: Resolution?

    /// The maximum number of frames per second.
    package let frameRate: Double?

    /// The group of its audio renditions.
    package let audioGroupID: String?

    /// The group of its video renditions.
    package let videoGroupID: String?

    /// The group of its subtitle renditions.
    package let subtitlesGroupID: String?

    /// The nonstandard NAME attribute, which some encoders write.
    package let name: String?

    /// A video resolution in pixels.
    package struct Resolution: Sendable, Hashable {
        /// The width.
        package let width: Int
        /// The height.
        package let height: Int
    }
}

/// A rendition (RFC 8216, 4.3.4.1).
package struct Rendition: Sendable, Hashable {
    /// The media type.
    package let kind: Kind

    /// The group of the rendition.
    package let groupID: String

    /// The display name, which users see when they select a rendition.
    package let name: String

    /// The URI of the media playlist; nil if the variant streams contain the rendition.
    package let uri: String?

    /// The language (RFC 5646).
    package let language: String?

    /// Whether the rendition is played unless the user selects another.
    package let isDefault: Bool

    /// Whether a client may select the rendition automatically.
    package let isAutoselected: Bool

    /// The audio channels, as written in the playlist.
    package let channels: String?

    /// A media type.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Audio.
        case audio = "AUDIO"
        /// Video.
        case video = "VIDEO"
        /// Subtitles.
        case subtitles = "SUBTITLES"
        /// Captions in the video stream.
        case closedCaptions = "CLOSED-CAPTIONS"
    }
}

/// A data item about the presentation (RFC 8216, 4.3.4.4).
package struct SessionData: Sendable, Hashable {
    /// The identifier of the item, in a namespace that its author owns.
    package let id: String

    /// The data; nil if it is at `uri`.
    package let value: String?

    /// The location of the data; nil if it is in `value`.
    package let uri: String?

    /// The language of the data (RFC 5646).
    package let language: String?
}
