/// A reason why an input, or a part of one, could not be read.
public enum InputError: Error, Sendable, Hashable {
    /// The file or directory cannot be opened or read; `reason` is the system's.
    case unreadable(String, reason: String)

    /// A playlist or directory contains a FIFO, device or socket, where only regular files are opened.
    case notRegularFile(String)

    /// The resource exceeds the size limit for its kind.
    case tooLarge(String, maximumByteCount: UInt64)

    /// Reading was canceled before the end.
    case cancelled(String)

    /// The resource is empty.
    case empty(String)

    /// The bytes are neither a media segment nor a playlist; `likely` describes them if their format is recognizable.
    case notMedia(String, likely: String?)

    /// A resource that should be a media playlist is not one; `likely` describes it if its format is recognizable.
    case notPlaylist(String, likely: String?)

    /// The playlist is invalid.
    case damagedPlaylist(String, reason: String)

    /// A playlist references a playlist as a segment, or references itself.
    case nestedPlaylist(String)

    /// The directory contains several playlists, so that the one to read must be named; `names` lists the first ones.
    case severalPlaylists(String, names: [String], count: Int)

    /// A playlist from the network references a local file.
    case forbiddenAddress(String, playlist: String)

    /// A reference has a scheme other than `file`, `http` and `https`.
    case unsupportedScheme(String, reference: String)

    /// The transfer from the server failed.
    case transfer(String, reason: String, isRetriable: Bool)

    /// The segment's encryption method is not supported.
    case encrypted(String, method: String)

    /// The segment cannot be decrypted with its key.
    case undecipherable(String, reason: String)

    /// libavformat could not be opened.
    case demuxing(String, reason: String)

    /// The requested rendition is not in the playlist.
    case noSuchRendition(String, playlist: String)

    /// The name of the resource that could not be read.
    public var subject: String {
        switch self {
        case .unreadable(let name, _), .notRegularFile(let name), .tooLarge(let name, _),
            .cancelled(let name),
            .empty(let name), .notMedia(let name, _), .notPlaylist(let name, _),
            .damagedPlaylist(let name, _),
            .nestedPlaylist(let name), .severalPlaylists(let name, _, _), .forbiddenAddress(let name, _),
            .unsupportedScheme(_, let name),
            .transfer(let name, _, _), .encrypted(let name, _), .undecipherable(let name, _),
            .demuxing(let name, _), .noSuchRendition(_, let name):
            name
        }
    }

    /// The reason, without the name of the resource.
    public var reason: String {
        switch self {
        case .unreadable(_, let reason), .damagedPlaylist(_, let reason), .transfer(_, let reason, _),
            .demuxing(_, let reason):
            reason
        case .notRegularFile: "is not a regular file; only regular files are read here"
        case .tooLarge(_, let maximum): "is larger than \(maximum) bytes"
        case .cancelled: "was not read to the end"
        case .empty: "is empty"
        case .notMedia(_, let likely):
            "neither a media segment nor a playlist" + (likely.map { ", but \($0)" } ?? "")
        case .notPlaylist(_, let likely): "not a playlist" + (likely.map { ", but \($0)" } ?? "")
        case .nestedPlaylist: "is a playlist; a media segment or media playlist was expected"
        case .severalPlaylists(_, let names, let count):
            "contains \(count) playlists; name one of them: " + names.joined(separator: ", ")
                + (count > names.count ? ", …" : "")
        case .forbiddenAddress(_, let playlist):
            "the playlist \(playlist) comes from the network and must not refer to local files"
        case .unsupportedScheme(let scheme, _): "addresses of scheme '\(scheme)' are not supported"
        case .encrypted(_, let method): "is encrypted with \(method), which is not supported"
        case .undecipherable(_, let reason): "cannot be decrypted: \(reason)"
        case .noSuchRendition(let name, _): "has no rendition '\(name)'"
        }
    }

    /// A one-line message with the name of the resource and the reason.
    public var message: String { "\(subject): \(reason)" }

    /// Whether a retry may succeed.
    public var isRetriable: Bool {
        if case .transfer(_, _, let isRetriable) = self { isRetriable } else { false }
    }

    /// Whether the same resource may be readable later: the server does not have it yet, fails, or is still writing it.
    package var mayBeTemporary: Bool {
        switch self {
        case .transfer, .empty, .notMedia, .undecipherable, .unreadable: true
        default: false
        }
    }
}
