/// Why an input, or a part of one, could not be read.
package enum InputError: Error, Sendable, Hashable {
    /// The file or folder cannot be opened or read; `reason` is the system's.
    case unreadable(String, reason: String)

    /// There is nothing in it.
    case empty(String)

    /// The bytes are neither a media segment nor a playlist; `likely` says what they look like, where that shows.
    case notMedia(String, likely: String?)

    /// What stands where a media playlist belongs is none; `likely` says what it looks like, where that shows.
    case notPlaylist(String, likely: String?)

    /// The playlist cannot be read.
    case damagedPlaylist(String, reason: String)

    /// A playlist names a playlist as its segment, or itself: there is no end to follow.
    case nestedPlaylist(String)

    /// A playlist from the network names a file of this machine.
    case forbiddenAddress(String, playlist: String)

    /// A reference has a scheme that is neither a file's nor HTTP's.
    case unsupportedScheme(String, reference: String)

    /// The server did not give it.
    case transfer(String, reason: String, isRetriable: Bool)

    /// The segment is encrypted in a way that is not read.
    case encrypted(String, method: String)

    /// The key does not open the segment.
    case undecipherable(String, reason: String)

    /// libavformat has no room to work.
    case demuxing(String, reason: String)

    /// The rendition that was asked for is not in the playlist.
    case noSuchRendition(String, playlist: String)

    /// What happened, in one line that names the input.
    package var message: String {
        switch self {
        case .unreadable(let name, let reason): "\(name): \(reason)"
        case .empty(let name): "\(name): is empty"
        case .notMedia(let name, let likely):
            "\(name): neither a media segment nor a playlist" + (likely.map { ", but \($0)" } ?? "")
        case .notPlaylist(let name, let likely):
            "\(name): no playlist" + (likely.map { ", but \($0)" } ?? "")
        case .damagedPlaylist(let name, let reason): "\(name): \(reason)"
        case .nestedPlaylist(let name):
            "\(name): a playlist stands where a media segment or media playlist belongs"
        case .forbiddenAddress(let reference, let playlist):
            "\(reference): the playlist \(playlist) comes from the network and may not name files of this machine"
        case .unsupportedScheme(let scheme, let reference):
            "\(reference): addresses of scheme '\(scheme)' are not read"
        case .transfer(let name, let reason, _): "\(name): \(reason)"
        case .encrypted(let name, let method): "\(name): is encrypted with \(method), which is not read"
        case .undecipherable(let name, let reason): "\(name): cannot be decrypted: \(reason)"
        case .demuxing(let name, let reason): "\(name): \(reason)"
        case .noSuchRendition(let name, let playlist): "\(playlist): has no rendition '\(name)'"
        }
    }

    /// Whether a later try may fare better.
    package var isRetriable: Bool {
        if case .transfer(_, _, let isRetriable) = self { isRetriable } else { false }
    }
}
