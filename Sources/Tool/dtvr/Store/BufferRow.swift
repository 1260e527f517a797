import FoundationEssentials
import TagStore

/// A waiting tag or a dead letter, in the form that `dtvr store` shows and a monitor sends.
struct BufferRow: Codable, Sendable {
    /// The sequence number in the buffer.
    let sequence: Int64
    /// The ID of the tag.
    let id: String
    /// The time of the append, in Unix milliseconds.
    let received: Int64
    /// The stored body.
    let body: Data
    /// The refusal by a collector, or nil for a waiting tag.
    var refusal: Refusal?

    /// The reason and time of a refusal.
    struct Refusal: Codable, Sendable {
        /// The collector's reason code.
        let code: String
        /// The time in Unix milliseconds.
        let time: Int64
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
enum BufferRows: String, Sendable {
    /// The waiting tags.
    case waiting = "tags"
    /// The tags that a collector permanently refused.
    case deadLetters = "dead-letters"
}
