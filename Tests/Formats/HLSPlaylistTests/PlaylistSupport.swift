import HLSPlaylist
import Testing

/// Returns a media playlist with these lines after `#EXTM3U` and a target duration of 6.
func mediaPlaylist(
    _ lines: String..., importing: [String: String] = [:], address: String = ""
) throws -> MediaPlaylist {
    let text = (["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines).joined(separator: "\n")
    let playlist = try Playlist(parsing: Array(text.utf8).span, importing: importing, address: address)
    guard case .media(let media) = playlist else { throw WrongKind() }
    return media
}

/// Returns a multivariant playlist with these lines after `#EXTM3U`.
func multivariantPlaylist(_ lines: String...) throws -> MultivariantPlaylist {
    let text = (["#EXTM3U"] + lines).joined(separator: "\n")
    guard case .multivariant(let playlist) = try Playlist(parsing: Array(text.utf8).span) else {
        throw WrongKind()
    }
    return playlist
}

struct WrongKind: Error {}
