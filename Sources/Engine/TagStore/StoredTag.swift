/// A tag to be stored: its id and its body, which the buffer does not look into.
package struct NewTag: Sendable, Hashable {
    /// The tag's own id.
    package let id: TagID
    /// The body, at most `NewTag.maximumBodyByteCount` bytes.
    package let body: [UInt8]

    /// What one body may take before compression.
    package static let maximumBodyByteCount = 65_536

    /// A tag to be stored.
    package init(id: TagID = .random(), body: [UInt8]) {
        self.id = id
        self.body = body
    }
}

/// A tag as the buffer gives it back.
package struct StoredTag: Sendable, Hashable {
    /// Its place in the buffer: grows from tag to tag, is never given twice, and says nothing elsewhere.
    package let sequence: Int64
    /// The tag's own id.
    package let id: TagID
    /// When it was appended, in milliseconds of Unix time by the clock of then.
    package let received: Int64
    /// The body as it was appended.
    package let body: [UInt8]

    /// A tag as the buffer gives it back.
    package init(sequence: Int64, id: TagID, received: Int64, body: [UInt8]) {
        self.sequence = sequence
        self.id = id
        self.received = received
        self.body = body
    }
}

/// A tag that a collector refused for good.
package struct DeadLetter: Sendable, Hashable {
    /// The tag.
    package let tag: StoredTag
    /// The collector's reason.
    package let code: String
    /// When it was refused, in milliseconds of Unix time.
    package let refused: Int64

    /// A tag that a collector refused for good.
    package init(tag: StoredTag, code: String, refused: Int64) {
        self.tag = tag
        self.code = code
        self.refused = refused
    }
}

/// What became of an append.
package struct AppendOutcome: Sendable, Hashable {
    /// Where appended tags are.
    package enum Durability: Sendable, Hashable {
        /// On the disk, synced.
        case durable
        /// In memory only, because the disk takes nothing; they are written as soon as it does.
        case memoryOnly
    }

    /// The places that the tags were given, in their order; nil where none were appended.
    package let sequences: ClosedRange<Int64>?
    /// Where they are.
    package let durability: Durability

    /// What became of an append.
    package init(sequences: ClosedRange<Int64>?, durability: Durability) {
        self.sequences = sequences
        self.durability = durability
    }
}
