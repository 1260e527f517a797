package import HLSPlaylist
import HTTPTransfer
package import NielsenID3

/// The location of a live channel's media playlist, and its attributes in the multivariant playlist.
package struct LiveRenditionPlace: Sendable {
    /// The identity of this rendition among those that are read, repeated in the results.
    package internal(set) var id = RenditionID.first

    /// The media playlist's URI in the multivariant playlist, or nil without one.
    let uri: String?

    /// The secrets of the channel and of the addresses of its playlists.
    var secrets = InputSecrets()

    /// The media playlist's URI in the multivariant playlist without secrets, or nil without one.
    package var printableURI: String? { uri.map(secrets.hidden(inURL:)) }

    /// The address of the media playlist.
    let address: InputAddress

    /// The addresses to which requests for the playlist may go.
    let policy: AddressPolicy

    /// The variant's bandwidth in bits per second, or nil if none is given, as for audio renditions.
    package internal(set) var bandwidth: Int?

    /// The URI of the default audio of its group, or nil without one.
    var audio: String?

    /// The name of the default audio of its group, or nil without one.
    package internal(set) var audioName: String?

    /// Whether the rendition must carry the same tags as the others, as a variant or the default audio of one.
    package internal(set) var isComparable = true

    /// The role in the multivariant playlist, independent of the URI, or nil without a multivariant playlist.
    var role: RenditionRole?

    /// The number of variants that are redundant, this one included; 1 if there are no others.
    var redundantCount = 1

    /// Whether the multivariant playlist lists a redundant variant before this one.
    var isRedundant = false

    /// The number of the redundant variant that is loaded, counted from the one with this role.
    var redundancy = 0

    /// A name that stays the same when the multivariant playlist assigns another URI, or nil without one.
    package var name: String? { role?.text }

    /// The variables that the media playlist may import with EXT-X-DEFINE.
    var variables: [String: String] = [:]

    /// The limits that the multivariant playlist exceeds.
    package internal(set) var exceededLimits: [PlaylistLimit] = []

    /// Whether the choice includes more renditions than may be followed, so that some are ignored.
    package internal(set) var isOneOfTooMany = false

    /// The number of media playlists of the channel that are followed side by side, this one included.
    var followedCount = 1

    /// The maximum size of the media playlist in bytes: the playlists that are followed side by side share 32 MiB.
    var maximumByteCount: Int {
        max(1 << 20, min(InputLimits.maximumPlaylistByteCount, (32 << 20) / followedCount))
    }

    init(uri: String?, address: InputAddress, policy: AddressPolicy) {
        self.uri = uri
        self.address = address
        self.policy = policy
    }
}
