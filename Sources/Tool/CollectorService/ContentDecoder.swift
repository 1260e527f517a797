import ByteReading

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

/// The body of a batch as sent.
struct EncodedBody: ~Copyable {
    private let bytes: [UInt8]
    private let encoding: RequestEncoding
    private let limit: Int
    /// The largest size of the decoded body: the size that the encoding states, at most the limit.
    let decodedByteCount: Int

    /// - Parameter limit: The maximum size of the decoded body.
    init(_ bytes: [UInt8], _ encoding: RequestEncoding, limit: Int) {
        self.bytes = bytes
        self.encoding = encoding
        self.limit = limit
        let stated =
            switch encoding {
            case .identity: bytes.count
            case .gzip: Inflation.statedByteCount(gzip: bytes.span)
            case .zstd: ZstdDecompressor.statedByteCount(stream: bytes.span)
            }
        decodedByteCount = min(stated ?? limit, limit)
    }

    /// Returns the decoded body.
    consuming func decode() throws(CompressionError) -> [UInt8] {
        do throws(CompressionError) {
            return try decode(limit: decodedByteCount)
        } catch {
            // The body states another size than it has.
            if case .tooLarge = error, decodedByteCount < limit { throw .invalid }
            throw error
        }
    }

    private func decode(limit: Int) throws(CompressionError) -> [UInt8] {
        switch encoding {
        case .identity:
            if bytes.count > limit { throw .tooLarge(limit: limit) }
            return bytes
        case .gzip:
            var decoded: [UInt8] = []
            let consumed = try Inflation.inflate(
                bytes.span, .gzip, expecting: limit, maximumByteCount: limit, appendingTo: &decoded)
            // Only one gzip member is supported: no sender uses several, so more data means damage.
            if consumed < bytes.count { throw .invalid }
            return decoded
        case .zstd:
            var decompressor = try ZstdDecompressor()
            return try decompressor.decompress(stream: bytes.span, maximumByteCount: limit)
        }
    }
}
