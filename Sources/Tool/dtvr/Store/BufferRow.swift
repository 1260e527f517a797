import FoundationEssentials
import TagStore

/// A tag that waits in a buffer, or a dead letter, as `dtvr store` shows it and a monitor hands it over.
struct BufferRow: Codable, Sendable {
    /// Its place in the buffer.
    let sequence: Int64
    /// The tag's own id.
    let id: String
    /// When it was appended, in milliseconds of Unix time.
    let received: Int64
    /// The stored body.
    let body: Data
    /// Why and when a collector refused it; nil where none did.
    var refusal: Refusal?

    /// Why and when a collector refused a tag.
    struct Refusal: Codable, Sendable {
        /// The collector's reason.
        let code: String
        /// In milliseconds of Unix time.
        let time: Int64
    }

    /// A tag that waits.
    init(_ tag: StoredTag) {
        sequence = tag.sequence
        id = tag.id.text
        received = tag.received
        body = Data(tag.body)
    }

    /// A dead letter.
    init(_ letter: DeadLetter) {
        self.init(letter.tag)
        refusal = Refusal(code: letter.code, time: letter.refused)
    }
}

/// Which rows of a buffer are meant.
enum BufferRows: String, Sendable {
    /// The tags that wait.
    case waiting = "tags"
    /// The tags that a collector refused for good.
    case deadLetters = "dead-letters"
}
