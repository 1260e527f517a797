/// Base64 with padding (RFC 4648).
package enum Base64 {
    /// Encodes the bytes in the alphabet for URLs and file names (section 5).
    package static func urlSafe(_ bytes: [UInt8]) -> [UInt8] { encode(bytes, plus: 0x2D, slash: 0x5F) }

    /// Encodes the bytes in the standard alphabet (section 4).
    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes, plus: 0x2B, slash: 0x2F), as: UTF8.self)
    }

    private static func encode(_ bytes: [UInt8], plus: UInt8, slash: UInt8) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                guard place <= group.count else {
                    text.append(UInt8(ascii: "="))
                    continue
                }
                let value = UInt8(truncatingIfNeeded: bits >> UInt32(18 - 6 * place)) & 0x3F
                switch value {
                case 62: text.append(plus)
                case 63: text.append(slash)
                default: text.append(URLSafeBase64.character(of: value))
                }
            }
        }
        return text
    }
}

extension Base64 {
    /// Decodes base64 in either alphabet, with or without padding; returns nil if the text is invalid.
    package static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
        var end = text.count
        while end > 0, text[end - 1] == 0x3D, text.count - end < 2 { end -= 1 }
        // A single trailing character has only six bits, less than a byte.
        guard end % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count = 0
        for index in 0..<end {
            let value = value(of: text[index])
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: URLSafeBase64.value(of: character)
        }
    }
}

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
