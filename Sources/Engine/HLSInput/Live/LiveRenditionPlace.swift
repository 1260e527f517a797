import HLSPlaylist
import HTTPTransfer

/// Where a media playlist of a live channel is, and what its multivariant playlist says of it.
package struct LiveRenditionPlace: Sendable {
    /// Which of the renditions that are read it is, counted from 0; what comes of its segments names it.
    package var index = 0

    /// The media playlist's URI as the multivariant playlist has it; nil without one.
    package let uri: String?

    /// Its address.
    let address: String

    /// Where requests for it may go.
    let policy: AddressPolicy

    /// The variant's bits per second; nil where none are stated, as for audio renditions.
    package internal(set) var bandwidth: Int?

    /// The URI of the default audio of its group; nil without one.
    package internal(set) var audio: String?

    /// Whether it must carry the same tags as the others: it is a variant, or the default audio of one.
    package internal(set) var isComparable = true

    /// What it is in the multivariant playlist, whatever its URI; nil without one.
    var role: RenditionRole?

    /// What it is called, however often the multivariant playlist gives it another URI; nil without one.
    package var name: String? { role?.text ?? uri }

    /// What the media playlist may import by EXT-X-DEFINE.
    var variables: [String: String] = [:]

    /// The place of a source that could not be opened.
    package static let unopened = LiveRenditionPlace(uri: nil, address: "", policy: .any)

    init(uri: String?, address: String, policy: AddressPolicy) {
        self.uri = uri
        self.address = address
        self.policy = policy
    }
}

/// What a media playlist is in a multivariant playlist that may give it another URI each time it is loaded.
struct RenditionRole: Sendable, Hashable {
    private let isVariant: Bool
    private let features: [String]

    /// How many others of the same features stand before it.
    private let order: Int

    /// The role of the media playlist with a URI; nil where no variant or rendition has it.
    init?(of uri: String, in playlist: MultivariantPlaylist) {
        if let index = playlist.variants.firstIndex(where: { $0.uri == uri }) {
            let features = Self.features(of: playlist.variants[index])
            isVariant = true
            self.features = features
            order = playlist.variants[..<index].count { Self.features(of: $0) == features }
        } else if let index = playlist.renditions.firstIndex(where: { $0.uri == uri }) {
            let features = Self.features(of: playlist.renditions[index])
            isVariant = false
            self.features = features
            order = playlist.renditions[..<index].count { Self.features(of: $0) == features }
        } else {
            return nil
        }
    }

    /// The role as a text, in which no two roles of a playlist are alike.
    var text: String {
        ([isVariant ? "variant" : "rendition"] + features + ["\(order)"]).joined(separator: " ")
    }

    /// The URI of the media playlist that has this role.
    func uri(in playlist: MultivariantPlaylist) -> String? {
        let uris =
            isVariant
            ? playlist.variants.filter { Self.features(of: $0) == features }.map(\.uri)
            : playlist.renditions.filter { Self.features(of: $0) == features }.compactMap(\.uri)
        return uris.dropFirst(order).first ?? uris.last
    }

    private static func features(of variant: VariantStream) -> [String] {
        let resolution = variant.resolution.map { "\($0.width)x\($0.height)" } ?? ""
        return ["\(variant.bandwidth ?? 0)", resolution] + variant.codecs
    }

    private static func features(of rendition: Rendition) -> [String] {
        [rendition.kind.rawValue, rendition.groupID, rendition.name, rendition.language ?? ""]
    }
}
