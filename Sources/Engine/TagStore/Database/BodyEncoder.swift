internal import ByteReading

/// An encoder for the bodies of tags, which compresses each one unless that makes it longer.
struct BodyEncoder: ~Copyable {
    /// Levels 2 to 6 save too little for the time that they take: see dictionary-trainer.
    private static let level: Int32 = 1

    private var compressor: ZstdCompressor
    private let encoding: Int64

    init(dictionary: BodyDictionary?) throws(StoreError) {
        var settings = ZstdCompressor.Settings(level: Self.level)
        // The row contains the version, so the four bytes of a dictionary id in each frame are unnecessary.
        settings.namesDictionary = false
        do throws(CompressionError) {
            compressor = try ZstdCompressor(settings, dictionary: dictionary?.bytes)
        } catch {
            throw .compression(error.description)
        }
        encoding = dictionary?.version ?? BodyEncoding.zstd
    }

    /// Encodes tags; returns nil if they exceed `limit` bytes.
    mutating func encode(
        _ tags: [NewTag], of owner: TagOwner = .nobody, receivedWall: Int64, receivedBoot: Int64, limit: Int
    ) -> EncodedAppend? {
        var entries: [EncodedAppend.Entry] = []
        entries.reserveCapacity(tags.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tags.count * 192)
        for tag in tags {
            let start = bytes.count
            let encoding = (tag.owner ?? owner).column(encoding: append(tag.body, to: &bytes))
            entries.append(.init(id: tag.id, encoding: encoding, body: start..<bytes.count))
            let rows = bytes.count + entries.count * EncodedAppend.fieldByteCount
            guard rows <= limit else { return nil }
        }
        return EncodedAppend(
            entries: entries, bytes: bytes, owner: owner, receivedWall: receivedWall,
            receivedBoot: receivedBoot)
    }

    /// Appends the shorter form of a body and returns its encoding.
    private mutating func append(_ body: [UInt8], to bytes: inout [UInt8]) -> Int64 {
        var isShorter = false
        // The capacity rejects a compressed form that is not shorter.
        bytes.append(addingCapacity: max(0, body.count - 1)) { room in
            isShorter = compressor.compress(body.span, into: &room)
        }
        if isShorter { return encoding }
        bytes.append(contentsOf: body)
        return BodyEncoding.plain
    }
}
