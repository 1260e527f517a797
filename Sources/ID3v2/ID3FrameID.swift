/// The identifier of a frame: four letters or digits, three in version 2.2.
public struct ID3FrameID: Sendable, Hashable, CustomStringConvertible {
    /// The characters, the first in the most significant byte; the fourth is zero where there are three.
    public let code: UInt32

    /// An identifier from its characters; nil unless they are three or four of `A`…`Z` and `0`…`9`.
    ///
    /// A fourth that is NUL or a blank counts as none: that is how some writers carry an identifier of
    /// version 2.2 into a later one, `TT2` and a NUL for instance.
    @inlinable @inline(__always)
    public init?(code: UInt32) {
        let isThree = code & 0xFF == 0 || code & 0xFF == 0x20
        guard Self.isIdentifier(code >> 24), Self.isIdentifier(code >> 16 & 0xFF),
            Self.isIdentifier(code >> 8 & 0xFF), isThree || Self.isIdentifier(code & 0xFF)
        else { return nil }
        self.code = isThree ? code & 0xFFFF_FF00 : code
    }

    /// An identifier from its text, as in `"PRIV"`; nil unless that is three or four capitals and digits.
    public init?(_ text: String) {
        guard (3...4).contains(text.utf8.count) else { return nil }
        var code: UInt32 = 0
        for character in text.utf8 { code = code << 8 | UInt32(character) }
        self.init(code: text.utf8.count == 3 ? code << 8 : code)
    }

    @inlinable
    init(known code: UInt32) { self.code = code }

    /// The private frame, `PRIV` (ID3v2.4.0 frames, 4.27).
    @inlinable
    public static var priv: ID3FrameID { ID3FrameID(known: 0x5052_4956) }

    /// Whether the identifier has three characters, as in version 2.2.
    @inlinable
    public var hasThreeCharacters: Bool { code & 0xFF == 0 }

    /// The characters.
    public var description: String {
        var text = ""
        for shift in [24, 16, 8, 0] {
            let character = UInt8(truncatingIfNeeded: code >> UInt32(shift))
            if character != 0 { text.unicodeScalars.append(Unicode.Scalar(character)) }
        }
        return text
    }

    @inlinable
    static func isIdentifier(_ character: UInt32) -> Bool {
        character &- 0x41 < 26 || character &- 0x30 < 10
    }
}
