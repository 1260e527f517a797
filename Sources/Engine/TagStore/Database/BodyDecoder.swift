internal import ByteReading

/// A decoder for stored bodies of every encoding.
struct BodyDecoder: ~Copyable {
    private var decompressor: ZstdDecompressor
    private let dictionaries: [Int64: ZstdDictionary]

    init(dictionaries: [BodyDictionary]) throws(StoreError) {
        do throws(CompressionError) {
            decompressor = try ZstdDecompressor()
        } catch {
            throw .compression(error.description)
        }
        var prepared: [Int64: ZstdDictionary] = [:]
        for dictionary in dictionaries { prepared[dictionary.version] = ZstdDictionary(dictionary.bytes) }
        self.dictionaries = prepared
    }

    /// Returns the decoded body; nil if the bytes are invalid for this encoding.
    mutating func body(of stored: Span<UInt8>, encoding column: Int64) -> [UInt8]? {
        let encoding = BodyEncoding.value(ofColumn: column)
        if encoding == BodyEncoding.plain { return stored.copy() }
        var dictionary: ZstdDictionary?
        if encoding != BodyEncoding.zstd {
            guard let found = dictionaries[encoding] else { return nil }
            dictionary = found
        }
        do throws(CompressionError) {
            return try decompressor.decompress(
                frame: stored, dictionary: dictionary, maximumByteCount: NewTag.maximumBodyByteCount)
        } catch {
            return nil
        }
    }
}
