import HLSPlaylist

/// The choice of renditions to read from a multivariant playlist.
public enum RenditionChoice: Sendable, Hashable {
    /// The variant with the lowest bandwidth, and the default audio of its group.
    case lowest
    /// The variant with the highest bandwidth, and the default audio of its group.
    case highest
    /// All variants and audio renditions.
    case all
    /// All variants with the default audio of their groups, which must carry the same tags.
    case comparable
    /// The default audio of the variant with the lowest bandwidth, or an audio-only variant, or else that variant.
    case audio
    /// The media playlist with this URI in the multivariant playlist.
    case uri(String)

    /// The keywords for choices; any other text is a URI.
    package static let words = ["all", "lowest", "highest", "audio"]

    /// Parses a choice from user input.
    package init(_ text: String) {
        switch text {
        case "lowest": self = .lowest
        case "highest": self = .highest
        case "all": self = .all
        case "audio": self = .audio
        default: self = .uri(text)
        }
    }

    /// Returns the URIs of the chosen media playlists without duplicates, most important first.
    func uris(in index: RenditionIndex) -> [String] {
        let playlist = index.playlist
        var uris: [String] = []
        var seen: Set<String> = []
        let add = { (uri: String?) in
            if let uri, seen.insert(uri).inserted { uris.append(uri) }
        }
        switch self {
        case .lowest, .highest:
            let variant =
                self == .lowest ? playlist.lowestBandwidthVariant : playlist.highestBandwidthVariant
            add(variant?.uri)
            add(variant.flatMap(index.audio)?.uri)
        case .all:
            for variant in playlist.variants { add(variant.uri) }
            for rendition in playlist.renditions where rendition.kind == .audio { add(rendition.uri) }
        case .comparable:
            for variant in playlist.variants { add(variant.uri) }
            for variant in playlist.variants { add(index.audio(of: variant)?.uri) }
        case .audio:
            let variant = playlist.lowestBandwidthVariant
            let named = variant.flatMap(index.audio)?.uri
            // Without an audio group, use a variant without video.
            let audioOnly = playlist.variants.first { $0.resolution == nil && Self.isAudio($0.codecs) }?.uri
            add(named ?? audioOnly ?? variant?.uri)
        case .uri(let uri):
            if index[uri] != nil { add(uri) }
        }
        return uris
    }

    private static func isAudio(_ codecs: [String]) -> Bool {
        !codecs.isEmpty
            && codecs.allSatisfy { $0.hasPrefix("mp4a") || $0.hasPrefix("ac-3") || $0.hasPrefix("ec-3") }
    }
}
