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
