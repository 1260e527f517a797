import HLSPlaylist
import HTTPTransfer

/// The front of an input, which tells what it is, or all of it where it is a playlist.
struct OpenedInput: Sendable {
    /// Where it is; after redirects, where they led, because its references are relative to that.
    let address: InputAddress
    /// Where it came from.
    let origin: PlaylistOrigin
    /// The first bytes, or all of them where it is a playlist.
    let bytes: [UInt8]
    /// The rest of it, where its bytes come once and it is no playlist.
    let stream: OpenedStream?

    /// Whether it is a playlist.
    var isPlaylist: Bool { PlaylistSignature.isAtFront(of: bytes) }

    /// The playlist that it is.
    func playlist(importing variables: [String: String] = [:]) throws(InputError) -> Playlist {
        do throws(PlaylistError) {
            return try Playlist(parsing: bytes.span, importing: variables, address: address.text)
        } catch {
            throw .damagedPlaylist(address.text, reason: "line \(error.line) is not that of a playlist")
        }
    }

    /// Opens an input.
    ///
    /// - Parameters:
    ///   - standardInput: the descriptor that standard input is read from.
    ///   - policy: where a request may go.
    ///   - isNamedByUser: whether a FIFO or a device at the address is read.
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
