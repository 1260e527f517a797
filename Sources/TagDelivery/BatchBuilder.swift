import TagRecord
public import TagStore

/// Puts stored tags into batches as a collector receives them.
///
///     {"store":"…","version":"…","batch":"…","first_seq":1,"last_seq":500,"losses":{"evicted":0,…}}
///     {"id":"…","received":"…",…}
///     …
public struct BatchBuilder: Sendable {
    /// Writes the line of one tag, without a line end; throws where the stored body cannot be read.
    public typealias LineEncoder = @Sendable (_ tag: StoredTag, _ line: inout [UInt8]) throws -> Void

    /// The code under which a tag whose body cannot be read goes among the dead.
    public static let unreadableCode = "unreadable_body"

    private let store: StoreID
    private let version: String
    private let maximumByteCount: Int
    private let encodeLine: LineEncoder

    /// A builder for one store.
    ///
    /// - Parameters:
    ///   - version: of the library, as the header names it.
    ///   - maximumByteCount: of a body before compression; one tag is always let in.
    ///   - encodeLine: writes the line of a tag; must give the same bytes for the same tag.
    public init(
        store: StoreID, version: String, maximumByteCount: Int = 512_000, encodeLine: @escaping LineEncoder
    ) {
        self.store = store
        self.version = version
        self.maximumByteCount = maximumByteCount
        self.encodeLine = encodeLine
    }

    /// What came of putting tags together.
    public struct Result: Sendable {
        /// The tags of the batch, in order.
        public let tags: [StoredTag]
        /// The batch; nil where no tag could be read.
        public let batch: TagBatch?
        /// The tags whose bodies cannot be read.
        public let unreadable: [StoredTag]
    }

    /// A batch of the first of these tags: as many as the byte count allows.
    public func batch(
        of tags: [StoredTag], losses: LossTotals, attempt: Int, encoding: ContentEncoding
    ) -> Result {
        var lines: [UInt8] = []
        lines.reserveCapacity(min(maximumByteCount, tags.count * 800))
        var line: [UInt8] = []
        var taken: [StoredTag] = []
        var unreadable: [StoredTag] = []
        for tag in tags {
            line.removeAll(keepingCapacity: true)
            do {
                try encodeLine(tag, &line)
            } catch {
                unreadable.append(tag)
                continue
            }
            // A line end within a line would make two of it.
            guard !line.isEmpty, !line.contains(UInt8(ascii: "\n")) else {
                unreadable.append(tag)
                continue
            }
            if !taken.isEmpty, lines.count + line.count + 1 > maximumByteCount { break }
            lines.append(contentsOf: line)
            lines.append(UInt8(ascii: "\n"))
            taken.append(tag)
        }
        guard let first = taken.first, let last = taken.last else {
            return Result(tags: [], batch: nil, unreadable: unreadable)
        }
        let id = Self.identifier(of: taken)
        var body = header(id: id, first: first.sequence, last: last.sequence, losses: losses)
        body.append(contentsOf: lines)
        let batch = TagBatch(
            id: id, tagIDs: taken.map(\.id), body: body, attempt: attempt, encoding: encoding)
        return Result(tags: taken, batch: batch, unreadable: unreadable)
    }

    /// SHA-256 of the ids, each of 16 bytes, in hexadecimal digits.
    static func identifier(of tags: [StoredTag]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tags.count * 16)
        for tag in tags {
            for word in [tag.id.high, tag.id.low] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
                }
            }
        }
        return Hexadecimal.text(Digest.sha256(bytes))
    }

    private func header(id: String, first: Int64, last: Int64, losses: LossTotals) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("store")
        writer.value(store.text)
        writer.key("version")
        writer.value(version)
        writer.key("batch")
        writer.value(id)
        writer.key("first_seq")
        writer.value(first)
        writer.key("last_seq")
        writer.value(last)
        writer.key("losses")
        writer.beginObject()
        for (name, count) in [
            ("evicted", losses.evicted), ("expired", losses.expired), ("dead", losses.dead),
            ("pruned", losses.pruned), ("damaged", losses.damaged), ("memory_lost", losses.memoryLost),
        ] {
            writer.key(name)
            writer.value(count)
        }
        writer.endObject()
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }
}
