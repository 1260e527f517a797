/// Why an input, or a part of one, could not be read.
public enum InputError: Error, Sendable, Hashable {
    /// The file or directory cannot be opened or read; `reason` is the system's.
    case unreadable(String, reason: String)

    /// A playlist names a FIFO, a device or a socket, or one lies in a directory: only regular files are opened there.
    case notRegularFile(String)

    /// It is larger than anything of its kind may be.
    case tooLarge(String, maximumByteCount: UInt64)

    /// Reading was stopped before its end.
    case cancelled(String)

    /// It has no bytes.
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

    /// The server did not send it.
    case transfer(String, reason: String, isRetriable: Bool)

    /// The segment is encrypted in a way that is not supported.
    case encrypted(String, method: String)

    /// The segment cannot be decrypted with its key.
    case undecipherable(String, reason: String)

    /// libavformat has no room to work.
    case demuxing(String, reason: String)

    /// The rendition that was asked for is not in the playlist.
    case noSuchRendition(String, playlist: String)

    /// What could not be read.
    public var subject: String {
        switch self {
        case .unreadable(let name, _), .notRegularFile(let name), .tooLarge(let name, _),
            .cancelled(let name),
            .empty(let name), .notMedia(let name, _), .notPlaylist(let name, _),
            .damagedPlaylist(let name, _),
            .nestedPlaylist(let name), .forbiddenAddress(let name, _), .unsupportedScheme(_, let name),
            .transfer(let name, _, _), .encrypted(let name, _), .undecipherable(let name, _),
            .demuxing(let name, _), .noSuchRendition(_, let name):
            name
        }
    }

    /// Why, without the name of what could not be read.
    public var reason: String {
        switch self {
        case .unreadable(_, let reason), .damagedPlaylist(_, let reason), .transfer(_, let reason, _),
            .demuxing(_, let reason):
            reason
        case .notRegularFile: "is not a regular file; only those are read here"
        case .tooLarge(_, let maximum): "is larger than \(maximum) bytes"
        case .cancelled: "was not read to its end"
        case .empty: "is empty"
        case .notMedia(_, let likely):
            "neither a media segment nor a playlist" + (likely.map { ", but \($0)" } ?? "")
        case .notPlaylist(_, let likely): "not a playlist" + (likely.map { ", but \($0)" } ?? "")
        case .nestedPlaylist: "a playlist stands where a media segment or media playlist belongs"
        case .forbiddenAddress(_, let playlist):
            "the playlist \(playlist) comes from the network and may not name files of this machine"
        case .unsupportedScheme(let scheme, _): "addresses of scheme '\(scheme)' are not supported"
        case .encrypted(_, let method): "is encrypted with \(method), which is not supported"
        case .undecipherable(_, let reason): "cannot be decrypted: \(reason)"
        case .noSuchRendition(let name, _): "has no rendition '\(name)'"
        }
    }

    /// What happened, in one line that names what could not be read.
    public var message: String { "\(subject): \(reason)" }

    /// Whether a later try may succeed.
    public var isRetriable: Bool {
        if case .transfer(_, _, let isRetriable) = self { isRetriable } else { false }
    }
}
