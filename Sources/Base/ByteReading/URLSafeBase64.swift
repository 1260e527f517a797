/// Base64 with the URL-safe alphabet (RFC 4648, section 5).
@usableFromInline package enum URLSafeBase64 {
    /// Returns the character that encodes six bits, without branches, as in `value(of:)`.
    @inlinable @inline(__always)
    package static func character(of bits: UInt8) -> UInt8 {
        var character = bits &+ 0x41
        character = bits >= 26 ? bits &- 26 &+ 0x61 : character
        character = bits >= 52 ? bits &- 52 &+ 0x30 : character
        character = bits == 62 ? 0x2D : character
        return bits == 63 ? 0x5F : character
    }

    /// Returns the six bits of a character, or 0xFF if it is not in the alphabet.
    ///
    /// The code has no branches, so that the compiler can vectorize a loop over characters.
    @inlinable @inline(__always)
    package static func value(of character: UInt8) -> UInt8 {
        let upper = character &- 0x41
        let lower = character &- 0x61
        let digit = character &- 0x30
        var value: UInt8 = 0xFF
        value = upper < 26 ? upper : value
        value = lower < 26 ? lower &+ 26 : value
        value = digit < 10 ? digit &+ 52 : value
        value = character == 0x2D ? 62 : value
        return character == 0x5F ? 63 : value
    }
}
