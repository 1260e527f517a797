package import FoundationEssentials
public import NielsenID3
package import TagRecord
public import TagStore
package import TextForms

/// A waiting tag or a dead letter of a buffer.
///
/// The buffer also holds the other records of a player, such as the start of a viewing session.
public struct BufferRow: Codable, Sendable {
    /// The sequence number in the buffer, which increases from row to row.
    public let sequence: Int64
    /// The unique id, 32 hexadecimal digits.
    public let id: String
    /// The time of the append, in Unix milliseconds.
    public let received: Int64
    /// The stored body.
    package let body: Data
    /// The refusal by a collector; nil for a waiting tag.
    public private(set) var refusal: Refusal?

    /// The reason and the time of a refusal.
    public struct Refusal: Codable, Sendable {
        /// The collector's reason code.
        public let code: String
        /// The time in Unix milliseconds.
        public let time: Int64
    }

    /// Creates the row of a waiting tag.
    init(_ tag: StoredTag) {
        sequence = tag.sequence
        id = tag.id.text
        received = tag.received
        body = Data(tag.body)
    }

    /// Creates the row of a dead letter.
    init(_ letter: DeadLetter) {
        self.init(letter.tag)
        refusal = Refusal(code: letter.code, time: letter.refused)
    }

    /// Returns the record.
    package func record() throws(StoredBody.DecodingError) -> StoredRecord {
        try StoredRecord.decode(Array(body).span)
    }

    /// Returns the record; nil if the stored body cannot be read.
    private var readableRecord: StoredRecord? {
        do throws(StoredBody.DecodingError) {
            return try record()
        } catch {
            return nil
        }
    }

    /// The tag; nil for another record, and if the stored body cannot be read.
    public var tag: TagOccurrence? {
        if case .tag(let tag) = readableRecord { tag } else { nil }
    }

    /// The object that a collector receives, with `code` and `refused` of a dead letter; nil if the stored body cannot
    /// be read.
    public var json: String? {
        guard let record = readableRecord else { return nil }
        var writer = JSONWriter()
        write(record, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes a record as a collector would receive it, and the refusal of a dead letter.
    package func write(_ record: StoredRecord, to writer: inout JSONWriter) {
        writer.beginObject()
        record.writeWireMembers(id: id, received: received, to: &writer)
        if let refusal {
            writer.key("code")
            writer.value(refusal.code)
            writer.key("refused")
            writer.value(time: refusal.time)
        }
        writer.endObject()
    }
}

/// A selection of buffer rows.
public enum BufferRows: String, Codable, Sendable {
    /// The waiting tags.
    case waiting
    /// The tags that a collector permanently refused.
    case deadLetters
}

extension TagBuffer {
    /// The number of rows per page.
    private static let pageCount = 500

    /// Returns the next rows after a sequence number, oldest first; empty at the end.
    ///
    /// A page has at most 500 rows. They are not protected from eviction or delivery.
    public func page(of rows: BufferRows, after sequence: Int64 = 0) async throws(StoreError) -> [BufferRow] {
        switch rows {
        case .waiting:
            try await tags(after: sequence, maximumCount: Self.pageCount).map { BufferRow($0) }
        case .deadLetters:
            try await deadLetters(after: sequence, maximumCount: Self.pageCount).map { BufferRow($0) }
        }
    }

    /// Removes the rows that have waited, or were refused, longer ago than an age, and returns their number.
    ///
    /// They are counted as lost by `pruned`; dead letters stay counted as `dead`. Tags that are being delivered stay.
    @discardableResult
    public func prune(_ rows: BufferRows, olderThan age: Duration) async throws(StoreError) -> Int64 {
        switch rows {
        case .waiting: try await prune(olderThan: age)
        case .deadLetters: try await pruneDeadLetters(olderThan: age)
        }
    }
}
