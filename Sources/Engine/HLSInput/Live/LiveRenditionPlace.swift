package import HLSPlaylist
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

    /// The limits that the multivariant playlist exceeds.
    package internal(set) var exceededLimits: [PlaylistLimit] = []

    /// Whether the choice meant more renditions than may be followed: the others are left out.
    package internal(set) var isOneOfTooMany = false

    /// The number of media playlists of the channel that are followed side by side, this one included.
    var followedCount = 1

    /// The maximum size of the media playlist in bytes: the playlists that are followed side by side share 32 MiB.
    var maximumByteCount: Int {
        max(1 << 20, min(InputLimits.maximumPlaylistByteCount, (32 << 20) / followedCount))
    }

    /// The place of a source that could not be opened.
    package static let unopened = LiveRenditionPlace(uri: nil, address: "", policy: .any)

    init(uri: String?, address: String, policy: AddressPolicy) {
        self.uri = uri
        self.address = address
        self.policy = policy
    }
}
