/// The identifier of a frame: four letters or digits, three in version 2.2.
package struct ID3FrameID: Sendable, Hashable, CustomStringConvertible {
    /// The characters, the first in the most significant byte; the fourth is zero where there are three.
    package let code: UInt32

    /// An identifier from its characters; nil unless they are three or four of `A`…`Z` and `0`…`9`.
    ///
    /// A fourth that is NUL or a blank counts as none: that is how some writers carry an identifier of
    /// version 2.2 into a later one, `TT2` and a NUL for instance.
    @inlinable @inline(__always)
    package init?(code: UInt32) {
        let isThree = code & 0xFF == 0 || code & 0xFF == 0x20
        let first = code & 0xFFFF_FF00
        guard Self.isIdentifier(isThree ? first | 0x30 : code) else { return nil }
        self.code = isThree ? first : code
    }

    /// An identifier from its text, as in `"PRIV"`; nil unless that is three or four capitals and digits.
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

    /// Whether all four characters are capitals or digits, found without a branch.
    @inlinable @inline(__always)
    static func isIdentifier(_ characters: UInt32) -> Bool {
        let topBits: UInt32 = 0x8080_8080
        guard characters & topBits == 0 else { return false }
        // A character of less than 0x80 reaches 0x80 by this sum where it is at least the one subtracted.
        let isDigit = (characters &+ (topBits - 0x3030_3030)) & ~(characters &+ (topBits - 0x3A3A_3A3A))
        let isCapital = (characters &+ (topBits - 0x4141_4141)) & ~(characters &+ (topBits - 0x5B5B_5B5B))
        return (isDigit | isCapital) & topBits == topBits
    }
}
