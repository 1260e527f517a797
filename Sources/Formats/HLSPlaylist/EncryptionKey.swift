/// The encryption method and key of segments, from EXT-X-KEY or EXT-X-SESSION-KEY (RFC 8216, 4.3.2.4).
package struct EncryptionKey: Sendable, Hashable {
    /// The encryption method.
    package let method: Method

    /// The URI of the key as written in the playlist; nil if it has none.
    package let uri: String?

    /// The sixteen bytes of the IV attribute; nil if the media sequence number of the segment is the vector.
    package let statedInitializationVector: [UInt8]?

    /// The format of the key.
    ///
    /// `identity`, the default without KEYFORMAT, means a key of sixteen plain bytes.
    package let keyFormat: String

    /// The versions of the key format, as listed in the playlist; `1` without the attribute.
    package let keyFormatVersions: String

    /// The key format of sixteen plain bytes.
    package static let identityFormat = "identity"

    /// Whether the key is sixteen plain bytes at `uri`.
    package var isIdentity: Bool { keyFormat == Self.identityFormat }

    /// An encryption method.
    package enum Method: Sendable, Hashable {
        /// The entire segment is encrypted with AES-128 in CBC mode with PKCS7 padding.
        case aes128
        /// Samples are encrypted with AES-128; the container stays readable.
        case sampleAES
        /// Samples are encrypted with AES-128 in counter mode (second edition, 4.4.4.4).
        case sampleAESCTR
        /// Another method, by its name.
        case other(String)
    }

    /// Creates a key as a playlist declares it.
    package init(
        method: Method, uri: String?, statedInitializationVector: [UInt8]? = nil,
        keyFormat: String = EncryptionKey.identityFormat, keyFormatVersions: String = "1"
    ) {
        self.method = method
        self.uri = uri
        self.statedInitializationVector = statedInitializationVector
        self.keyFormat = keyFormat
        self.keyFormatVersions = keyFormatVersions
    }

    /// The approximate memory use in bytes.
    package var memoryByteCount: Int {
        let name = if case .other(let name) = method { name } else { "" }
        return MemoryLayout<EncryptionKey>.stride + name.utf8.count + (uri?.utf8.count ?? 0)
            + keyFormat.utf8.count + keyFormatVersions.utf8.count
    }

    /// Returns the initialization vector of a segment: sixteen bytes (RFC 8216, 5.2).
    ///
    /// Without an IV attribute it is the media sequence number in big-endian order.
    package func initializationVector(mediaSequence: Int) -> [UInt8] {
        if let statedInitializationVector { return statedInitializationVector }
        let number = UInt64(clamping: mediaSequence)
        return (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: number >> (8 * UInt64(15 - $0))) }
    }
}

/// The declaration in an EXT-X-KEY: a key for the segments that follow, or no encryption.
enum KeyDeclaration {
    case none
    case key(EncryptionKey)

    /// Parses the tag's value; returns nil and reports a problem if it has no method.
    init?(_ value: Range<Int>, in bytes: Span<UInt8>, context: inout ParsingContext) {
        let list = context.attributes(value, in: bytes)
        guard let method = list.range(of: "METHOD", in: bytes) else {
            context.report(.missingAttribute, value, in: bytes)
            return nil
        }
        if bytes.isASCII("NONE", in: method) {
            self = .none
            return
        }
        let uri = context.uri(of: list, in: bytes)
        if uri == nil { context.report(.missingAttribute, value, in: bytes) }
        var vector: [UInt8]?
        if let range = list.range(of: "IV", in: bytes) {
            vector = bytes.initializationVector(in: range)
            if vector == nil { context.report(.unreadableAttribute, range, in: bytes) }
        }
        let name = context.limited(
            context.decoded(method, in: bytes), to: .attributeBytes, method, in: bytes)
        self = .key(
            EncryptionKey(
                method: Self.method(named: name), uri: uri,
                statedInitializationVector: vector,
                keyFormat: context.limitedText("KEYFORMAT", of: list, in: bytes)
                    ?? EncryptionKey.identityFormat,
                keyFormatVersions: context.limitedText("KEYFORMATVERSIONS", of: list, in: bytes) ?? "1"))
    }

    private static func method(named name: String) -> EncryptionKey.Method {
        switch name {
        case "AES-128": .aes128
        case "SAMPLE-AES": .sampleAES
        case "SAMPLE-AES-CTR": .sampleAESCTR
        default: .other(name)
        }
    }
}
