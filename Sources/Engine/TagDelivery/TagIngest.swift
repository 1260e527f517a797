public import NielsenID3
import TagRecord
public import TagStore

/// Appends the tags of recorded input or of a live channel to the buffer.
public struct TagIngest: Sendable {
    private let buffer: BufferAccess
    private let owner: TagOwner

    /// Creates an ingest into a buffer.
    public init(into buffer: TagBuffer) { self.init(into: .own(buffer)) }

    /// Creates an ingest for the tags of one owner, in a buffer that several owners share.
    package init(into buffer: BufferAccess, of owner: TagOwner = .nobody) {
        self.buffer = buffer
        self.owner = owner
    }

    /// The numbers of stored and refused tags.
    public struct Outcome: Sendable, Hashable {
        /// Tags that are durable in the buffer.
        public internal(set) var acceptedCount = 0
        /// Tags that are only in memory because the disk is full or read-only; they are accepted once it is writable.
        public internal(set) var volatileCount = 0
        /// Tags that the buffer refused because it is full or they are too large.
        public internal(set) var refusedCount = 0
        /// Truncated tags, which cannot be counted and are not stored.
        public internal(set) var partialCount = 0
    }

    /// Appends the tags of a segment in one transaction and returns once they are durable.
    public func append(_ records: [TagOccurrence]) async throws(StoreError) -> Outcome {
        try await append(records, bookmark: nil)
    }

    /// Appends the tags of a segment, together with the position of their reader.
    ///
    /// Without tags, nothing is stored: the segment can be read again.
    package func append(
        _ records: [TagOccurrence], bookmark: Bookmark?
    ) async throws(StoreError) -> Outcome {
        var outcome = Outcome()
        var tags: [NewTag] = []
        for record in records {
            if record.isTruncated {
                outcome.partialCount += 1
                continue
            }
            let id = TagIdentity.id(of: record)
            tags.append(NewTag(id: id, body: StoredBody.encode(record)))
        }
        if !tags.isEmpty { try await append(tags, bookmark, &outcome) }
        return outcome
    }

    private func append(
        _ tags: [NewTag], _ bookmark: Bookmark?, _ outcome: inout Outcome
    ) async throws(StoreError) {
        // Only a segment with an extreme number of tags exceeds the limit of one transaction.
        for piece in try await buffer.appendInPieces(tags, of: owner, bookmark: bookmark) {
            switch piece.outcome?.durability {
            case .durable: outcome.acceptedCount += piece.range.count
            case .memoryOnly: outcome.volatileCount += piece.range.count
            case nil: outcome.refusedCount += piece.range.count
            }
        }
    }
}
