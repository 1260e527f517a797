import HLSPlaylist
import HTTPTransfer

/// The first bytes of an input, which identify its type, or all bytes of a playlist.
struct OpenedInput: Sendable {
    /// The address after redirects, to which the references are relative.
    let address: InputAddress
    /// The origin of the input.
    let origin: PlaylistOrigin
    /// The first bytes, or all bytes of a playlist.
    let bytes: [UInt8]
    /// The rest of a non-repeatable input that is not a playlist.
    let stream: OpenedStream?

    /// Whether the input is a playlist.
    var isPlaylist: Bool { Self.beginsLikePlaylist(bytes) }

    /// Parses the input as a media playlist.
    func mediaPlaylist(importing variables: [String: String]) throws(InputError) -> MediaPlaylist {
        guard isPlaylist else { throw .notPlaylist(address.text, likely: InputError.likelyFormat(of: bytes)) }
        guard case .media(let playlist) = try playlist(importing: variables) else {
            throw .nestedPlaylist(address.text)
        }
        return playlist
    }

    /// Parses the input as a playlist.
    ///
    /// A playlist of I-frames is refused: players use it for seeking, and its byte ranges have no tags, or a part of
    /// them.
    func playlist(importing variables: [String: String] = [:]) throws(InputError) -> Playlist {
        let playlist: Playlist
        do throws(PlaylistError) {
            playlist = try Playlist(parsing: bytes.span, importing: variables, address: address.text)
        } catch {
            throw .damagedPlaylist(address.text, reason: "line \(error.line) is not a playlist line")
        }
        if case .media(let media) = playlist, media.isIFramesOnly {
            throw .damagedPlaylist(
                address.text,
                reason:
                    "lists only I-frames, for seeking, without tags; the tags are in another playlist of the stream"
            )
        }
        return playlist
    }

    /// Opens an input.
    ///
    /// - Parameters:
    ///   - standardInput: The file descriptor of standard input.
    ///   - policy: The addresses to which a request may go.
    ///   - isNamedByUser: Whether the user named the address, so that a FIFO or device there may be read.
    static func open(
        _ address: InputAddress, standardInput: Int32, fetcher: ResourceFetcher, policy: AddressPolicy,
        isNamedByUser: Bool
    ) async throws(InputError) -> OpenedInput {
        switch address {
        case .path(let path) where isNamedByUser: return try open(InputFile(named: path), at: address)
        case .path(let path): return try open(InputFile(regularFileAt: path), at: address)
        case .data, .memory: throw .unreadable(address.text, reason: "cannot provide a playlist")
        case .standardInput:
            return try open(InputFile(lent: standardInput, name: "standard input"), at: address)
        case .network(let url):
            let (head, bytes) = try await fetcher.openedInput(at: url, policy: policy)
            let origin = PlaylistOrigin.network(head.remoteAddress.map(AddressScope.init))
            return OpenedInput(address: .network(head.url), origin: origin, bytes: bytes, stream: nil)
        }
    }

    private static func open(
        _ file: consuming InputFile, at address: InputAddress
    ) throws(InputError) -> OpenedInput {
        let front = try file.readFront(Self.signatureByteCount)
        var bytes = front
        var stream: OpenedStream?
        if Self.beginsLikePlaylist(front) {
            bytes += try file.readAll(maximumByteCount: InputLimits.maximumPlaylistByteCount)
        } else if !file.isRegular || address == .standardInput {
            stream = OpenedStream(front: front, file: file)
        }
        return OpenedInput(address: address, origin: .thisMachine, bytes: bytes, stream: stream)
    }
}

/// A pipe or standard input, with the bytes that were already read to detect its type.
final class OpenedStream: Sendable {
    /// The bytes that were already read.
    let front: [UInt8]
    /// The source of the remaining bytes.
    let file: InputFile

    init(front: [UInt8], file: consuming InputFile) {
        self.front = front
        self.file = file
    }
}

/// The origin of a playlist, which determines what the playlist may reference.
enum PlaylistOrigin: Sendable, Hashable {
    /// A local file, or standard input.
    case thisMachine
    /// The network, with the scope of the server's address, or nil if the scope is unknown.
    case network(AddressScope?)

    /// Returns the addresses to which requests for the playlist's references may go.
    ///
    /// A playlist from the network may reference non-public addresses only if its own address is non-public. Otherwise
    /// any server could make this machine send requests to its own network. An unknown origin counts as public, which
    /// permits the least.
    func policyForReferences(allowsPrivateAddresses: Bool) -> AddressPolicy {
        if allowsPrivateAddresses { return .any }
        switch self {
        case .thisMachine: return .any
        case .network(nil), .network(.global): return .publicOnly
        case .network: return .any
        }
    }
}

extension OpenedInput {
    /// The number of bytes needed to detect a playlist, regardless of its name.
    static let signatureByteCount = 1_024

    /// Returns whether `bytes` begin with `#EXTM3U` (RFC 8216, section 4.3.1.1), after any byte order mark and white
    /// space.
    static func beginsLikePlaylist(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        return rest.starts(with: "#EXTM3U".utf8)
    }
}
