/// How a playlist is told from media: by how it begins, never by its name.
enum PlaylistSignature {
    /// So many bytes are enough to tell.
    static let byteCount = 1_024

    /// Whether bytes begin as a playlist must (RFC 8216, section 4.3.1.1), a byte order mark and blanks aside.
    static func isAtFront(of bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        return rest.starts(with: "#EXTM3U".utf8)
    }
}
