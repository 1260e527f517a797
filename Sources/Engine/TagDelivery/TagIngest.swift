public import NielsenID3
import TagRecord
public import TagStore

/// Brings the tags of recorded input, or of a live channel, into the buffer.
public struct TagIngest: Sendable {
    private let buffer: TagBuffer
    private let owner: TagOwner

    /// An ingest into a buffer.
    public init(into buffer: TagBuffer) { self.init(into: buffer, of: .nobody) }

    /// An ingest of the tags of one owner, who shares the buffer with others.
    package init(into buffer: TagBuffer, of owner: TagOwner) {
        self.buffer = buffer
        self.owner = owner
    }

    /// What became of the tags that were offered.
    public struct Outcome: Sendable, Hashable {
        /// Tags that are in the buffer now, on the disk.
        public internal(set) var acceptedCount = 0
        /// Tags that are in memory only, because the disk takes nothing: they are accepted once it does.
        public internal(set) var volatileCount = 0
        /// Tags that the buffer refused: it is full, or they are too large for it.
        public internal(set) var refusedCount = 0
        /// Tags that are cut: nothing of them can be counted, and they are not kept.
        public internal(set) var partialCount = 0
    }

    /// Puts the tags of a segment into the buffer, all of them in one transaction, and returns once they are durable.
    public func append(_ records: [TagOccurrence]) async throws(StoreError) -> Outcome {
        try await append(records, bookmark: nil)
    }

    /// Puts the tags of a segment into the buffer, and with them how far their reader has come.
    ///
    /// Where there are no tags, nothing is kept: the segment can be read again.
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
        // Only a segment stuffed with tags is larger than one transaction may be.
        for piece in try await buffer.appendInPieces(tags, of: owner, bookmark: bookmark) {
            switch piece.outcome?.durability {
            case .durable: outcome.acceptedCount += piece.range.count
            case .memoryOnly: outcome.volatileCount += piece.range.count
            case nil: outcome.refusedCount += piece.range.count
            }
        }
    }
}
