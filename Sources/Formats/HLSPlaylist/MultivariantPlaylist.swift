/// A playlist of variant streams and renditions of one presentation (RFC 8216, 4.3.4).
package struct MultivariantPlaylist: Sendable, Hashable {
    /// The variant streams, in the order of the playlist.
    package internal(set) var variants: [VariantStream] = []

    /// The variant streams of pictures that stand alone (EXT-X-I-FRAME-STREAM-INF).
    package internal(set) var iFrameVariants: [VariantStream] = []

    /// The renditions of all groups, in the order of the playlist.
    package internal(set) var renditions: [Rendition] = []

    /// What is said about the presentation (EXT-X-SESSION-DATA).
    package internal(set) var sessionData: [SessionData] = []

    /// The keys that the media playlists will name (EXT-X-SESSION-KEY).
    package internal(set) var sessionKeys: [EncryptionKey] = []

    /// EXT-X-VERSION; nil where it is absent or unreadable, which means 1.
    package internal(set) var version: Int?

    /// The variables that EXT-X-DEFINE gave a value, which media playlists may import.
    package internal(set) var variables: [String: String] = [:]

    /// The lines that break a rule.
    package internal(set) var problems = PlaylistProblems()

    /// A playlist without variants.
    package init() {}

    /// The variant of the lowest BANDWIDTH; the first of several, and one without BANDWIDTH only among such.
    package var lowestBandwidthVariant: VariantStream? {
        variants.min { ($0.bandwidth ?? .max) < ($1.bandwidth ?? .max) }
    }

    /// The variant of the highest BANDWIDTH; the first of several.
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
    /// It is the default rendition of the group, else the first that may be selected automatically, else the first. One
    /// without a URI is inside the variant. The cost is linear in the renditions.
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

/// One variant stream (RFC 8216, 4.3.4.2 and 4.3.4.3).
package struct VariantStream: Sendable, Hashable {
    /// The URI of its media playlist as the multivariant playlist has it, variables replaced.
    package let uri: String

    /// The peak bit rate, in bits a second; nil where it is absent or unreadable.
    package let bandwidth: Int?

    /// The average bit rate, in bits a second.
    package let averageBandwidth: Int?

    /// The codecs, in the words of RFC 6381.
    package let codecs: [String]

    /// The size of the pictures.
    package let resolution: Resolution?

    /// The most pictures a second.
    package let frameRate: Double?

    /// The group of audio renditions that belongs to it.
    package let audioGroupID: String?

    /// The group of video renditions that belongs to it.
    package let videoGroupID: String?

    /// The group of subtitle renditions that belongs to it.
    package let subtitlesGroupID: String?

    /// A name that some encoders give it; no standard knows it.
    package let name: String?

    /// Width and height of pictures in pixels.
    package struct Resolution: Sendable, Hashable {
        /// The width.
        package let width: Int
        /// The height.
        package let height: Int
    }
}

/// One rendition (RFC 8216, 4.3.4.1).
package struct Rendition: Sendable, Hashable {
    /// What it is a rendition of.
    package let kind: Kind

    /// The group that it belongs to.
    package let groupID: String

    /// Its name, for a person to choose by.
    package let name: String

    /// The URI of its media playlist; nil where it is inside the variant streams.
    package let uri: String?

    /// Its language, as in RFC 5646.
    package let language: String?

    /// Whether it is played where nobody chooses.
    package let isDefault: Bool

    /// Whether a client may choose it by itself.
    package let isAutoselected: Bool

    /// The channels of audio, as the playlist has them.
    package let channels: String?

    /// A kind of rendition.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Sound.
        case audio = "AUDIO"
        /// Pictures.
        case video = "VIDEO"
        /// Text.
        case subtitles = "SUBTITLES"
        /// Text inside the pictures' stream.
        case closedCaptions = "CLOSED-CAPTIONS"
    }
}

/// One piece of data about the presentation (RFC 8216, 4.3.4.4).
package struct SessionData: Sendable, Hashable {
    /// What the data is, by a name that its maker owns.
    package let id: String

    /// The data; nil where it is at `uri`.
    package let value: String?

    /// Where the data is; nil where it is `value`.
    package let uri: String?

    /// The data's language, as in RFC 5646.
    package let language: String?
}
