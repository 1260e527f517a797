import ByteReading

/// The content of `data:` URIs (RFC 2397), in which a playlist may contain keys and initialization sections.
///
/// `PlaylistLimit.addressBytes` limits their length.
package enum DataURI {
    /// Returns the bytes of a URI: base64, or text with percent-encoded bytes; the media type is ignored.
    package static func content(of uri: String) throws(DataURIError) -> [UInt8] {
        guard uri.utf8.count <= PlaylistLimit.addressBytes.maximum else { throw .tooLong }
        let bytes = Array(uri.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let comma = bytes.firstIndex(of: UInt8(ascii: ","))
        else { throw .noComma }
        let type = String(decoding: bytes[colon...comma].dropLast(), as: UTF8.self).lowercased()
        let content = try percentDecoded(bytes[(comma + 1)...])
        let isBase64 = type.split(separator: ";").last.map { $0.filter { $0 != " " } == "base64" } ?? false
        return isBase64 && type.contains(";") ? try base64Decoded(content) : content
    }

    private static func percentDecoded(_ text: ArraySlice<UInt8>) throws(DataURIError) -> [UInt8] {
        var content: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                content.append(byte)
                continue
            }
            guard let first = rest.popFirst(), let high = Hexadecimal.value(of: first),
                let second = rest.popFirst(), let low = Hexadecimal.value(of: second)
            else { throw .percentSign }
            content.append(high << 4 | low)
        }
        return content
    }

    /// Decodes base64 with either alphabet (RFC 4648, 4 and 5), with or without padding.
    private static func base64Decoded(_ text: [UInt8]) throws(DataURIError) -> [UInt8] {
        var content: [UInt8] = []
        var bits: UInt32 = 0
        var digitCount = 0
        var digits = text.filter { $0 > 0x20 }[...]
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        for byte in digits {
            guard let digit = base64Digit(byte) else { throw .base64 }
            bits = bits << 6 | UInt32(digit)
            digitCount += 1
            // The second digit of four completes a byte with 4 bits left, the third with 2, the fourth with none.
            let left: [UInt32?] = [0, nil, 4, 2]
            if let count = left[digitCount % 4] { content.append(UInt8(truncatingIfNeeded: bits >> count)) }
        }
        guard digitCount % 4 != 1 else { throw .base64 }
        return content
    }

    private static func base64Digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// A reason why a `data:` URI has no content.
package enum DataURIError: Error, Sendable, Hashable {
    /// The URI is longer than an address may be.
    case tooLong
    /// No comma separates the media type from the content.
    case noComma
    /// A percent sign is not followed by two hexadecimal digits.
    case percentSign
    /// The content is not base64.
    case base64

    /// A description for messages.
    package var reason: String {
        switch self {
        case .tooLong: "is longer than \(PlaylistLimit.addressBytes.maximum) bytes"
        case .noComma: "has no comma before its content"
        case .percentSign: "has a percent sign without two hexadecimal digits"
        case .base64: "is not valid base64"
        }
    }
}
