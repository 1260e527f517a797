package import FoundationEssentials
import TagStore

/// A waiting tag or a dead letter, as the owner of a buffer sends it to other processes.
package struct BufferRow: Codable, Sendable {
    /// The sequence number in the buffer.
    package let sequence: Int64
    /// The id of the tag.
    package let id: String
    /// The time of the append, in Unix milliseconds.
    package let received: Int64
    /// The stored body.
    package let body: Data
    /// The refusal by a collector; nil for a waiting tag.
    package private(set) var refusal: Refusal?

    /// The reason and the time of a refusal.
    package struct Refusal: Codable, Sendable {
        /// The collector's reason code.
        package let code: String
        /// The time in Unix milliseconds.
        package let time: Int64
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
}

/// A selection of buffer rows.
package enum BufferRows: String, Codable, Sendable {
    /// The waiting tags.
    case waiting
    /// The tags that a collector permanently refused.
    case deadLetters
}

extension TagBuffer {
    /// The number of rows per page.
    private static let pageCount = 500

    /// Returns the next rows after a sequence number, oldest first; empty at the end.
    func page(of rows: BufferRows, after sequence: Int64) async throws(StoreError) -> [BufferRow] {
        switch rows {
        case .waiting:
            try await tags(after: sequence, maximumCount: Self.pageCount).map { BufferRow($0) }
        case .deadLetters:
            try await deadLetters(after: sequence, maximumCount: Self.pageCount).map { BufferRow($0) }
        }
    }
}
