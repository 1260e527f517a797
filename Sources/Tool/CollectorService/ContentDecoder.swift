import ByteCompression

/// The content encodings that a collector reads.
enum ContentEncoding: String, Sendable, Hashable, CaseIterable {
    case identity
    case gzip
    case zstd

    /// The encoding that the header field names; identity where it is missing, nil where it is not known.
    init?(field: String?) {
        let name = (field ?? "identity").trimmed.lowercased()
        if name.isEmpty {
            self = .identity
        } else if name == "x-gzip" {
            self = .gzip
        } else {
            self.init(rawValue: name)
        }
    }
}

extension String {
    var trimmed: String {
        let blanks: [Character] = [" ", "\t"]
        return String(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
    }
}

/// Decodes a body, to a bound.
enum ContentDecoder {
    static func decode(
        _ bytes: [UInt8], _ encoding: ContentEncoding, limit: Int
    ) throws(CompressionError) -> [UInt8] {
        switch encoding {
        case .identity:
            if bytes.count > limit { throw .tooLarge(limit: limit) }
            return bytes
        case .gzip:
            var decoded: [UInt8] = []
            let consumed = try Inflation.inflate(
                bytes.span, .gzip, maximumByteCount: limit, appendingTo: &decoded)
            // What follows a member is either another one or damage; nobody sends several.
            if consumed < bytes.count { throw .invalid }
            return decoded
        case .zstd:
            var decompressor = try ZstdDecompressor()
            return try decompressor.decompress(stream: bytes.span, maximumByteCount: limit)
        }
    }
}
