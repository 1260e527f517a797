/// How segments are encrypted and where the key is: EXT-X-KEY, and EXT-X-SESSION-KEY (RFC 8216, 4.3.2.4).
package struct EncryptionKey: Sendable, Hashable {
    /// The way of encryption.
    package let method: Method

    /// The URI of the key as the playlist has it; nil where it has none.
    package let uri: String?

    /// The sixteen bytes of the IV attribute; nil where the segment's sequence number is the vector.
    package let statedInitializationVector: [UInt8]?

    /// How the key is given: `identity` is sixteen bytes of key, which is also what no KEYFORMAT means.
    package let keyFormat: String

    /// The versions of the key format, as the playlist lists them; `1` without the attribute.
    package let keyFormatVersions: String

    /// The key format of sixteen plain bytes.
    package static let identityFormat = "identity"

    /// Whether the key is sixteen plain bytes at `uri`.
    package var isIdentity: Bool { keyFormat == Self.identityFormat }

    /// A way of encryption.
    package enum Method: Sendable, Hashable {
        /// The segment in one piece in AES-128, CBC, with PKCS7 padding.
        case aes128
        /// Samples in AES-128; the container stays readable.
        case sampleAES
        /// Samples in AES-128 counter mode (second edition, 4.4.4.4).
        case sampleAESCTR
        /// Another one, by its name.
        case other(String)
    }

    /// One key as a playlist declares it.
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

    /// The sixteen bytes that a segment's decryption starts from (RFC 8216, 5.2).
    ///
    /// Without an IV attribute they are the media sequence number, big-endian.
    package func initializationVector(mediaSequence: Int) -> [UInt8] {
        if let statedInitializationVector { return statedInitializationVector }
        let number = UInt64(clamping: mediaSequence)
        return (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: number >> (8 * UInt64(15 - $0))) }
    }
}

/// What an EXT-X-KEY says: that what follows has this key, or none.
enum KeyDeclaration {
    case none
    case key(EncryptionKey)

    /// Reads the tag's value; nil, and a problem, where it has no method.
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
        self = .key(
            EncryptionKey(
                method: Self.method(named: context.decoded(method, in: bytes)), uri: uri,
                statedInitializationVector: vector,
                keyFormat: context.text("KEYFORMAT", of: list, in: bytes) ?? EncryptionKey.identityFormat,
                keyFormatVersions: context.text("KEYFORMATVERSIONS", of: list, in: bytes) ?? "1"))
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
