import HLSPlaylist

/// An index of the media playlists in a multivariant playlist, by URI and by role.
///
/// Building it takes linear time and each lookup constant time, because a playlist may list thousands.
struct RenditionIndex: Sendable {
    /// The multivariant playlist.
    let playlist: MultivariantPlaylist

    /// A media playlist in the multivariant playlist.
    struct Entry: Sendable {
        /// The role of the media playlist.
        let role: RenditionRole
        /// The variant's BANDWIDTH, or nil for a rendition.
        let bandwidth: Int?
        /// The URI of the default audio of the variant's group, or nil without one.
        let audio: String?
        /// Whether the playlist is a variant or the default audio of one, which carry the same tags.
        var isComparable: Bool
        /// The attributes that it shares with redundant variants; nil for a rendition.
        let redundancyKey: RedundancyKey?
    }

    /// The attributes that redundant variants share: those of the stream, and its default audio.
    ///
    /// The names of groups do not count, because those of a redundant variant are usually groups of its own.
    struct RedundancyKey: Sendable, Hashable {
        fileprivate let features: RenditionRole.Features
        fileprivate let audio: [String?]
    }

    private var entries: [String: Entry] = [:]

    private let defaultAudio: [String: Rendition]

    /// The URIs by their features, in playlist order.
    private var uris: [RenditionRole.Features: [String?]] = [:]

    /// The URIs of redundant variants, in playlist order (RFC 8216, 6.2.4).
    private var redundantURIs: [RedundancyKey: [String]] = [:]

    init(_ playlist: MultivariantPlaylist) {
        self.playlist = playlist
        defaultAudio = playlist.defaultAudioByGroup()
        for variant in playlist.variants {
            let role = role(of: .init(variant), uri: variant.uri)
            guard entries[variant.uri] == nil else { continue }
            let audio = audio(of: variant)
            let key = RedundancyKey(features: role.features, audio: [audio?.name, audio?.language])
            redundantURIs[key, default: []].append(variant.uri)
            entries[variant.uri] = Entry(
                role: role, bandwidth: variant.bandwidth, audio: audio?.uri, isComparable: true,
                redundancyKey: key)
        }
        for rendition in playlist.renditions {
            let role = role(of: .init(rendition), uri: rendition.uri)
            guard let uri = rendition.uri, entries[uri] == nil else { continue }
            entries[uri] = Entry(
                role: role, bandwidth: nil, audio: nil, isComparable: false, redundancyKey: nil)
        }
        for variant in playlist.variants {
            if let uri = audio(of: variant)?.uri { entries[uri]?.isComparable = true }
        }
    }

    /// Returns the URIs of the chosen media playlists, most important first.
    ///
    /// - Parameter source: The multivariant playlist as named by the user, for errors.
    /// - Throws: `InputError` if there is none.
    func uris(of choice: RenditionChoice, in source: String) throws(InputError) -> [String] {
        let uris = choice.uris(in: self)
        if uris.isEmpty, case .uri(let name) = choice { throw .noSuchRendition(name, playlist: source) }
        if uris.isEmpty { throw .damagedPlaylist(source, reason: "lists no media playlist") }
        return uris
    }

    /// Returns the media playlist with a URI, as listed in the multivariant playlist that was opened.
    func rendition(
        _ uri: String, at opened: OpenedInput, allowsPrivateAddresses: Bool
    ) throws(InputError) -> LiveRenditionPlace {
        var rendition = LiveRenditionPlace(
            uri: uri, address: try opened.address.resolving(uri),
            policy: opened.origin.policyForReferences(allowsPrivateAddresses: allowsPrivateAddresses))
        let entry = entries[uri]
        rendition.role = entry?.role
        let redundant = redundantURIs(of: uri)
        rendition.redundantCount = redundant.count
        rendition.isRedundant = redundant[0] != uri
        rendition.bandwidth = entry?.bandwidth
        rendition.audio = entry?.audio
        rendition.audioName = entry?.audio.flatMap { entries[$0]?.role.text }
        rendition.isComparable = entry?.isComparable ?? false
        rendition.variables = playlist.variables
        rendition.exceededLimits = playlist.problems.exceededLimits
        return rendition
    }

    private mutating func role(of features: RenditionRole.Features, uri: String?) -> RenditionRole {
        let order = uris[features]?.count ?? 0
        uris[features, default: []].append(uri)
        return RenditionRole(features: features, order: order)
    }

    /// Returns the media playlist with this URI, or nil if it is not listed.
    subscript(uri: String) -> Entry? { entries[uri] }

    /// Returns the default audio of a variant's group, or nil if the variant has no group or its group is empty.
    func audio(of variant: VariantStream) -> Rendition? {
        variant.audioGroupID.flatMap { defaultAudio[$0] }
    }

    /// Returns the URI of the media playlist with this role, or else of the last one with the same features, if any.
    ///
    /// - Parameter redundancy: The number of the redundant variant, counted from the one with this role.
    func uri(of role: RenditionRole, redundancy: Int = 0) -> String? {
        guard let uris = uris[role.features] else { return nil }
        let first = uris.indices.contains(role.order) ? uris[role.order] : uris.last ?? nil
        guard redundancy > 0, let first else { return first }
        let redundant = redundantURIs(of: first)
        return redundant[((redundant.firstIndex(of: first) ?? 0) + redundancy) % redundant.count]
    }

    /// Returns the URIs of a variant and its redundant ones, at least one.
    private func redundantURIs(of uri: String) -> [String] {
        entries[uri]?.redundancyKey.flatMap { redundantURIs[$0] } ?? [uri]
    }
}

/// The role of a media playlist, which stays the same when the multivariant playlist assigns another URI.
struct RenditionRole: Sendable, Hashable {
    /// The attributes in the multivariant playlist, without the URI.
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

    /// The attributes of the media playlist.
    let features: Features

    /// The number of preceding playlists with the same features.
    let order: Int

    /// The role as text, unique within the playlist.
    var text: String { (features.words + ["\(order)"]).joined(separator: " ") }
}
