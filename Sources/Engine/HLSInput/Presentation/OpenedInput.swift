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
    var isPlaylist: Bool { PlaylistSignature.isAtFront(of: bytes) }

    /// Parses the input as a playlist.
    func playlist(importing variables: [String: String] = [:]) throws(InputError) -> Playlist {
        do throws(PlaylistError) {
            return try Playlist(parsing: bytes.span, importing: variables, address: address.text)
        } catch {
            throw .damagedPlaylist(address.text, reason: "line \(error.line) is not a playlist line")
        }
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
        let front = try file.readFront(PlaylistSignature.byteCount)
        var bytes = front
        var stream: OpenedStream?
        if PlaylistSignature.isAtFront(of: front) {
            bytes += try file.readAll(maximumByteCount: InputLimits.maximumPlaylistByteCount)
        } else if !file.isRegular || address == .standardInput {
            stream = OpenedStream(front: front, file: file)
        }
        return OpenedInput(address: address, origin: .thisMachine, bytes: bytes, stream: stream)
    }
}
