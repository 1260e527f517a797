import HLSPlaylist

/// The media playlists that a multivariant playlist names, by URI and by role.
///
/// Building it takes time linear in the playlist, each query constant time: a playlist may name thousands.
struct RenditionIndex: Sendable {
    /// The playlist.
    let playlist: MultivariantPlaylist

    /// A media playlist of the multivariant playlist.
    struct Entry: Sendable {
        /// Its role.
        let role: RenditionRole
        /// The variant's BANDWIDTH; nil for a rendition.
        let bandwidth: Int?
        /// The URI of the default audio of the variant's group; nil without one.
        let audio: String?
        /// Whether it is a variant or the default audio of one: such playlists carry the same tags.
        var isComparable: Bool
    }

    private var entries: [String: Entry] = [:]

    private let defaultAudio: [String: Rendition]

    /// The URIs by their features, in the order of the playlist.
    private var uris: [RenditionRole.Features: [String?]] = [:]

    init(_ playlist: MultivariantPlaylist) {
        self.playlist = playlist
        defaultAudio = playlist.defaultAudioByGroup()
        for variant in playlist.variants {
            let role = role(of: .init(variant), uri: variant.uri)
            guard entries[variant.uri] == nil else { continue }
            entries[variant.uri] = Entry(
                role: role, bandwidth: variant.bandwidth, audio: audio(of: variant)?.uri, isComparable: true)
        }
        for rendition in playlist.renditions {
            let role = role(of: .init(rendition), uri: rendition.uri)
            guard let uri = rendition.uri, entries[uri] == nil else { continue }
            entries[uri] = Entry(role: role, bandwidth: nil, audio: nil, isComparable: false)
        }
        for variant in playlist.variants {
            if let uri = audio(of: variant)?.uri { entries[uri]?.isComparable = true }
        }
    }

    private mutating func role(of features: RenditionRole.Features, uri: String?) -> RenditionRole {
        let order = uris[features]?.count ?? 0
        uris[features, default: []].append(uri)
        return RenditionRole(features: features, order: order)
    }

    /// The media playlist with this URI; nil where the playlist names none.
    subscript(uri: String) -> Entry? { entries[uri] }

    /// The default audio of a variant's group; nil where the variant names no group, or an empty one.
    func audio(of variant: VariantStream) -> Rendition? {
        variant.audioGroupID.flatMap { defaultAudio[$0] }
    }

    /// The URI of the media playlist with this role, or of the last one with its features; nil where there is none.
    func uri(of role: RenditionRole) -> String? {
        guard let uris = uris[role.features] else { return nil }
        return uris.indices.contains(role.order) ? uris[role.order] : uris.last ?? nil
    }
}

/// What a media playlist is in a multivariant playlist that may give it another URI each time it is loaded.
struct RenditionRole: Sendable, Hashable {
    /// What the multivariant playlist says of it apart from its URI.
    struct Features: Sendable, Hashable {
        private let isVariant: Bool
        private let values: [String]

        init(_ variant: VariantStream) {
            isVariant = true
            let resolution = variant.resolution.map { "\($0.width)x\($0.height)" } ?? ""
            values = ["\(variant.bandwidth ?? 0)", resolution] + variant.codecs
        }

        init(_ rendition: Rendition) {
            isVariant = false
            values = [
                rendition.kind.rawValue, rendition.groupID, rendition.name, rendition.language ?? "",
            ]
        }

        fileprivate var words: [String] { [isVariant ? "variant" : "rendition"] + values }
    }

    /// Its features.
    let features: Features

    /// The number of playlists of the same features before it.
    let order: Int

    /// The role as a text that no other role of the playlist has.
    var text: String { (features.words + ["\(order)"]).joined(separator: " ") }
}
