import ByteCompression

/// The content encodings that a collector supports.
enum RequestEncoding: String, Sendable, Hashable, CaseIterable {
    case identity
    case gzip
    case zstd

    /// Parses the header field; a missing or empty field means identity, and an unknown encoding gives nil.
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

/// Decodes a body up to a size limit.
enum ContentDecoder {
    static func decode(
        _ bytes: [UInt8], _ encoding: RequestEncoding, limit: Int
    ) throws(CompressionError) -> [UInt8] {
        switch encoding {
        case .identity:
            if bytes.count > limit { throw .tooLarge(limit: limit) }
            return bytes
        case .gzip:
            var decoded: [UInt8] = []
            let consumed = try Inflation.inflate(
                bytes.span, .gzip, maximumByteCount: limit, appendingTo: &decoded)
            // Only one gzip member is supported: no sender uses several, so more data means damage.
            if consumed < bytes.count { throw .invalid }
            return decoded
        case .zstd:
            var decompressor = try ZstdDecompressor()
            return try decompressor.decompress(stream: bytes.span, maximumByteCount: limit)
        }
    }
}
