import ByteReading
import Glibc
import TagRecord
package import TagStore
import TextForms

/// Puts stored tags into batches in the form that collectors accept.
///
///     {"store":"…","version":"…","batch":"…","first_seq":1,"last_seq":500,"losses":{"evicted":0,…}}
///     {"id":"…","received":"…",…}
///     …
package struct BatchBuilder: Sendable {
    /// Writes the line of one tag, without the line feed, and throws if the stored body cannot be read.
    ///
    /// Returns the store id that the batch names in place of the buffer's: the temporary one of a user who has opted
    /// out, otherwise nil.
    package typealias LineEncoder = @Sendable (_ tag: StoredTag, _ line: inout [UInt8]) throws -> StoreID?

    /// The dead-letter code of a tag whose stored body cannot be read.
    static let unreadableCode = "unreadable_body"

    /// The id of the buffer that holds the tags.
    let store: StoreID
    private let version: String
    private let maximumByteCount: Int
    private let encodeLine: LineEncoder

    /// Creates a builder for one store.
    ///
    /// - Parameters:
    ///   - version: The version of the library, for the header.
    ///   - maximumByteCount: The limit on a body before compression. A batch holds at least one tag, whatever its size.
    ///   - encodeLine: Writes the line of a tag. Must write the same bytes each time for the same tag.
    package init(
        store: StoreID, version: String, maximumByteCount: Int = 512_000, encodeLine: @escaping LineEncoder
    ) {
        self.store = store
        self.version = version
        self.maximumByteCount = maximumByteCount
        self.encodeLine = encodeLine
    }

    /// The result of building a batch.
    package struct Result: Sendable {
        /// The tags of the batch, in order.
        package let tags: [StoredTag]
        /// The batch, or nil if no tag could be read.
        package let batch: TagBatch?
        /// The tags whose bodies cannot be read.
        package let unreadable: [StoredTag]
    }

    /// Builds a batch from the first of `tags`, as many as fit into the byte limit and share one store id.
    package func batch(
        of tags: [StoredTag], losses: LossTotals, attempt: Int, encoding: ContentEncoding
    ) -> Result {
        guard let first = tags.first, let last = tags.last else {
            return Result(tags: [], batch: nil, unreadable: [])
        }
        // Usually the batch takes every tag and this header is right. Otherwise it is replaced below.
        var id = Self.identifier(of: tags)
        var body: [UInt8] = []
        body.reserveCapacity(min(maximumByteCount, tags.count * 832) + 1_024)
        body += header(id: id, first: first.sequence, last: last.sequence, losses: losses)
        var sender: StoreID?
        let headerCount = body.count
        var line: [UInt8] = []
        var taken: [StoredTag] = []
        var unreadable: [StoredTag] = []
        taken.reserveCapacity(tags.count)
        for tag in tags {
            line.removeAll(keepingCapacity: true)
            let tagSender: StoreID?
            do {
                tagSender = try encodeLine(tag, &line)
            } catch {
                unreadable.append(tag)
                continue
            }
            // A line feed within a line would split it in two.
            guard !line.isEmpty, !Self.hasLineEnd(line) else {
                unreadable.append(tag)
                continue
            }
            if taken.isEmpty { sender = tagSender }
            if tagSender != sender { break }
            if !taken.isEmpty, body.count - headerCount + line.count + 1 > maximumByteCount { break }
            line.append(UInt8(ascii: "\n"))
            body.append(contentsOf: line)
            taken.append(tag)
        }
        guard let first = taken.first, let last = taken.last else {
            return Result(tags: [], batch: nil, unreadable: unreadable)
        }
        if taken.count < tags.count || sender != nil {
            id = Self.identifier(of: taken)
            let header =
                sender.map { self.header(id: id, under: $0, count: taken.count) }
                ?? header(id: id, first: first.sequence, last: last.sequence, losses: losses)
            body.replaceSubrange(..<headerCount, with: header)
        }
        let batch = TagBatch(
            id: id, tagIDs: taken.map(\.id), body: body, attempt: attempt, encoding: encoding)
        return Result(tags: taken, batch: batch, unreadable: unreadable)
    }

    private static func hasLineEnd(_ line: [UInt8]) -> Bool {
        unsafe line.withUnsafeBytes { bytes in
            // Without an address there is nothing to pass to memchr.
            guard let address = bytes.baseAddress else { return false }
            return unsafe memchr(address, 0x0A, bytes.count) != nil
        }
    }

    /// Returns the SHA-256 of the tag ids, 16 bytes each, in hexadecimal digits.
    static func identifier(of tags: [StoredTag]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tags.count * 16)
        for tag in tags {
            for index in 0..<16 {
                let word = index < 8 ? tag.id.high : tag.id.low
                bytes.append(UInt8(truncatingIfNeeded: word &>> (56 - 8 * UInt64(index % 8))))
            }
        }
        return Hexadecimal.text(Digest.sha256(bytes))
    }

    /// Returns the header of a batch that is sent under another store id than the buffer's.
    ///
    /// The buffer's sequences and losses would identify the device, so this header counts the tags of each batch from 1
    /// and reports no losses. Batches under the buffer's own id report the losses.
    private func header(id: String, under sender: StoreID, count: Int) -> [UInt8] {
        header(id: id, first: 1, last: Int64(count), losses: LossTotals(), sender)
    }

    private func header(
        id: String, first: Int64, last: Int64, losses: LossTotals, _ sender: StoreID? = nil
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("store")
        writer.value((sender ?? store).text)
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
