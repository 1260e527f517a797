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
