import ByteReading
import Glibc
import TagRecord
package import TagStore
import TextForms

/// Puts stored tags into batches as a collector receives them.
///
///     {"store":"…","version":"…","batch":"…","first_seq":1,"last_seq":500,"losses":{"evicted":0,…}}
///     {"id":"…","received":"…",…}
///     …
package struct BatchBuilder: Sendable {
    /// Writes the line of one tag, without a line end; throws where the stored body cannot be read.
    ///
    /// It answers the id that the tag is sent under in place of the buffer's: that of the time of a user who has opted
    /// out, nil of any other.
    package typealias LineEncoder = @Sendable (_ tag: StoredTag, _ line: inout [UInt8]) throws -> StoreID?

    /// The code under which a tag whose body cannot be read goes among the dead.
    package static let unreadableCode = "unreadable_body"

    /// The buffer that the tags come from.
    let store: StoreID
    private let version: String
    private let maximumByteCount: Int
    private let encodeLine: LineEncoder

    /// A builder for one store.
    ///
    /// - Parameters:
    ///   - version: of the library, as the header names it.
    ///   - maximumByteCount: of a body before compression; one tag is always let in.
    ///   - encodeLine: writes the line of a tag; must give the same bytes for the same tag.
    package init(
        store: StoreID, version: String, maximumByteCount: Int = 512_000, encodeLine: @escaping LineEncoder
    ) {
        self.store = store
        self.version = version
        self.maximumByteCount = maximumByteCount
        self.encodeLine = encodeLine
    }

    /// What came of putting tags together.
    package struct Result: Sendable {
        /// The tags of the batch, in order.
        package let tags: [StoredTag]
        /// The batch; nil where no tag could be read.
        package let batch: TagBatch?
        /// The tags whose bodies cannot be read.
        package let unreadable: [StoredTag]
    }

    /// A batch of the first of these tags: as many as the byte count allows, and as are sent under one id.
    package func batch(
        of tags: [StoredTag], losses: LossTotals, attempt: Int, encoding: ContentEncoding
    ) -> Result {
        guard let first = tags.first, let last = tags.last else {
            return Result(tags: [], batch: nil, unreadable: [])
        }
        // Nearly always all of them are taken, and the header is right: otherwise it is replaced.
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
            // A line end within a line would make two of it.
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
            // memchr reads the count of bytes at the address, and is not asked where there is none.
            guard let address = bytes.baseAddress else { return false }
            return unsafe memchr(address, 0x0A, bytes.count) != nil
        }
    }

    /// SHA-256 of the ids, each of 16 bytes, in hexadecimal digits.
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

    /// The header of tags that are sent under another id than the buffer's.
    ///
    /// Sequences and losses of the buffer would say whose they are, so the tags are counted from 1 in each batch, and the
    /// losses stand in the batches of the buffer's own.
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
