/// A tag to append: its id and its body, which is opaque to the buffer.
package struct NewTag: Sendable, Hashable {
    /// The unique id of the tag.
    package let id: TagID
    /// The body, at most `NewTag.maximumBodyByteCount` bytes.
    package let body: [UInt8]

    /// The owner of this tag; nil for that of the whole append.
    package let owner: TagOwner?

    /// The maximum size of a body before compression.
    package static let maximumBodyByteCount = 65_536

    /// Creates a tag to append, by default with a random id.
    package init(id: TagID = .random(), body: [UInt8], owner: TagOwner? = nil) {
        self.id = id
        self.body = body
        self.owner = owner
    }
}

/// A tag read from the buffer.
package struct StoredTag: Sendable, Hashable {
    /// The sequence number in the buffer.
    ///
    /// Sequences increase from tag to tag and are never reused. They have no meaning outside this buffer.
    package let sequence: Int64
    /// The unique id of the tag.
    package let id: TagID
    /// The time when the tag was appended, in Unix milliseconds by the clock at that time.
    package let received: Int64
    /// The body as appended.
    package let body: [UInt8]

    /// Creates a tag with all its fields.
    package init(sequence: Int64, id: TagID, received: Int64, body: [UInt8]) {
        self.sequence = sequence
        self.id = id
        self.received = received
        self.body = body
    }
}

/// A tag that a collector permanently refused.
package struct DeadLetter: Sendable, Hashable {
    /// The refused tag.
    package let tag: StoredTag
    /// The reason that the collector gave.
    package let code: String
    /// The time of the refusal, in Unix milliseconds.
    package let refused: Int64

    /// Creates a dead letter from a tag and its refusal.
    package init(tag: StoredTag, code: String, refused: Int64) {
        self.tag = tag
        self.code = code
        self.refused = refused
    }
}

/// The result of an append.
package struct AppendOutcome: Sendable, Hashable, Codable {
    /// The storage that holds appended tags.
    package enum Durability: String, Sendable, Hashable, Codable {
        /// Written and synced to the disk.
        case durable
        /// In memory only: the disk is not writable, and the tags stay here until it is.
        case memoryOnly
    }

    /// The sequences of the tags, in their order; nil if there were no tags to append.
    package let sequences: ClosedRange<Int64>?
    /// The storage that holds the tags.
    package let durability: Durability

    /// Creates a result with the sequences and the durability of an append.
    package init(sequences: ClosedRange<Int64>?, durability: Durability) {
        self.sequences = sequences
        self.durability = durability
    }
}

/// A tag that was appended as held and may now be delivered.
package struct ReleasedTag: Sendable, Hashable {
    /// The sequence of the tag.
    package let sequence: Int64
    /// The new body, of about the same size; nil keeps the appended body.
    package private(set) var body: [UInt8]?
    /// The encoding of the new body, which the buffer may compress.
    private(set) var encoding = BodyEncoding.plain

    /// Creates a release of the tag with a sequence.
    package init(sequence: Int64, body: [UInt8]? = nil) {
        self.sequence = sequence
        self.body = body
    }

    /// Replaces the new body by its stored form; by nil if it has none.
    mutating func store(as stored: (encoding: Int64, body: [UInt8])?) {
        body = stored?.body
        encoding = stored?.encoding ?? BodyEncoding.plain
    }
}
