import ID3v2

/// The bytes of tags and frames for tests.
enum TagBytes {
    /// Returns a number as four bytes of seven bits.
    static func syncSafe(_ value: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) }
    }

    /// Returns a number as `count` bytes.
    static func plain(_ value: Int, count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// Returns a tag with a valid header around `body`.
    static func tag(
        _ version: ID3Version, flags: UInt8 = 0, revision: UInt8 = 0, size: [UInt8]? = nil, _ body: [UInt8]
    ) -> [UInt8] {
        Array("ID3".utf8) + [version.rawValue, revision, flags] + (size ?? syncSafe(body.count)) + body
    }

    /// Returns a frame with a valid header around `body`.
    static func frame(
        _ version: ID3Version, _ id: String, flags: [UInt8] = [0, 0], size: [UInt8]? = nil, _ body: [UInt8]
    ) -> [UInt8] {
        let standard =
            switch version {
            case .v22: plain(body.count, count: 3)
            case .v23: plain(body.count)
            case .v24: syncSafe(body.count)
            }
        return Array(id.utf8) + (size ?? standard) + (version == .v22 ? [] : flags) + body
    }

    /// Returns a text frame of the version, in ISO-8859-1.
    static func title(_ version: ID3Version, _ text: String) -> [UInt8] {
        frame(version, version == .v22 ? "TT2" : "TIT2", [0] + Array(text.utf8))
    }

    /// Returns the identifier of `title`.
    static func titleID(_ version: ID3Version) -> String { version == .v22 ? "TT2" : "TIT2" }

    /// Inserts a zero after every 0xFF that is last or that precedes a zero or a byte of at least 0xE0.
    static func unsynchronised(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            result.append(byte)
            guard byte == 0xFF else { continue }
            if index + 1 == bytes.count || bytes[index + 1] == 0 || bytes[index + 1] >= 0xE0 {
                result.append(0)
            }
        }
        return result
    }
}
