/// The identifier of a frame: four capital letters or digits, or three in version 2.2.
package struct ID3FrameID: Sendable, Hashable, CustomStringConvertible {
    /// The characters in big-endian order; the fourth byte is zero in an identifier of three.
    package let code: UInt32

    /// Creates an identifier from three or four characters of `A`…`Z` and `0`…`9`; returns nil for any others.
    ///
    /// A fourth character that is NUL or a blank is ignored. Some writers use version 2.2 identifiers in later versions
    /// in this form, for example `TT2` and a NUL.
    @inlinable @inline(__always)
    package init?(code: UInt32) {
        let isThree = code & 0xFF == 0 || code & 0xFF == 0x20
        let first = code & 0xFFFF_FF00
        guard Self.isIdentifier(isThree ? first | 0x30 : code) else { return nil }
        self.code = isThree ? first : code
    }

    /// Creates an identifier from a text such as `"PRIV"`; returns nil unless it has three or four capitals and digits.
    package init?(_ text: String) {
        guard (3...4).contains(text.utf8.count) else { return nil }
        var code: UInt32 = 0
        for character in text.utf8 { code = code << 8 | UInt32(character) }
        self.init(code: text.utf8.count == 3 ? code << 8 : code)
    }

    @inlinable
    init(known code: UInt32) { self.code = code }

    /// The private frame, `PRIV` (ID3v2.4.0 frames, 4.27).
    @inlinable
    package static var priv: ID3FrameID { ID3FrameID(known: 0x5052_4956) }

    /// The characters.
    package var description: String {
        var text = ""
        for shift in [24, 16, 8, 0] {
            let character = UInt8(truncatingIfNeeded: code >> UInt32(shift))
            if character != 0 { text.unicodeScalars.append(Unicode.Scalar(character)) }
        }
        return text
    }

    /// Returns whether all four characters are capitals or digits, computed without branches on single characters.
    @inlinable @inline(__always)
    static func isIdentifier(_ characters: UInt32) -> Bool {
        let topBits: UInt32 = 0x8080_8080
        guard characters & topBits == 0 else { return false }
        // Adding 0x80 - n to a character below 0x80 sets its top bit exactly if the character is at least n.
        let isDigit = (characters &+ (topBits - 0x3030_3030)) & ~(characters &+ (topBits - 0x3A3A_3A3A))
        let isCapital = (characters &+ (topBits - 0x4141_4141)) & ~(characters &+ (topBits - 0x5B5B_5B5B))
        return (isDigit | isCapital) & topBits == topBits
    }
}
