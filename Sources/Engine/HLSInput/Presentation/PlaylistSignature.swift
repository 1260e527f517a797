/// The detection of playlists by their first bytes, regardless of the name.
enum PlaylistSignature {
    /// The number of bytes needed for detection.
    static let byteCount = 1_024

    /// Returns whether `bytes` begin with `#EXTM3U` (RFC 8216, section 4.3.1.1), after any byte order mark and white
    /// space.
    static func isAtFront(of bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        return rest.starts(with: "#EXTM3U".utf8)
    }
}
