public import NielsenID3
package import TagRecord
public import TagStore

/// Appends records to the buffer: the tags of recorded input or of a live channel, and those of players.
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
        public internal(set) var truncatedCount = 0
    }

    /// The result of appending one record.
    package enum Placement: Sendable, Hashable {
        /// The record is durable in the buffer, under a sequence.
        case durable(Int64)
        /// The record is only in memory, because the disk is full or read-only.
        case memoryOnly(Int64)
        /// The buffer refused the record, because it is full or the record is too large, and counted that.
        case refused

        /// The sequence of the record in the buffer; nil if it was refused.
        package var sequence: Int64? {
            switch self {
            case .durable(let sequence), .memoryOnly(let sequence): sequence
            case .refused: nil
            }
        }

        /// Whether the record is on the disk.
        package var isDurable: Bool {
            if case .durable = self { true } else { false }
        }
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
        let whole = records.filter { !$0.isTruncated }
        var outcome = Outcome()
        outcome.truncatedCount = records.count - whole.count
        for placement in try await append(whole.map { .tag($0) }, bookmark: bookmark) {
            switch placement {
            case .durable: outcome.acceptedCount += 1
            case .memoryOnly: outcome.volatileCount += 1
            case .refused: outcome.refusedCount += 1
            }
        }
        return outcome
    }

    /// Appends records of any kind in one transaction, or in several if they are too large for one.
    ///
    /// - Parameters:
    ///   - bookmark: the position of their reader, stored with the last record.
    ///   - isHeld: whether the records wait for `release` before they are delivered.
    ///   - isQuarantined: whether the records wait for `TagBuffer.admit`, also across launches.
    /// - Returns: the result of each record.
    package func append(
        _ records: [StoredRecord], bookmark: Bookmark? = nil, isHeld: Bool = false,
        isQuarantined: Bool = false
    ) async throws(StoreError) -> [Placement] {
        if records.isEmpty { return [] }
        let tags = records.map { record in
            let owner = record.isTag ? owner : .records
            return NewTag(
                id: TagID(of: record), body: record.storedBody,
                owner: isQuarantined ? owner.quarantined : owner)
        }
        var placements: [Placement] = []
        let pieces = try await buffer.appendInPieces(tags, of: owner, bookmark: bookmark, isHeld: isHeld)
        for piece in pieces {
            guard let outcome = piece.outcome, let sequences = outcome.sequences else {
                placements += piece.range.map { _ in Placement.refused }
                continue
            }
            placements += sequences.map { sequence -> Placement in
                switch outcome.durability {
                case .durable: .durable(sequence)
                case .memoryOnly: .memoryOnly(sequence)
                }
            }
        }
        return placements
    }

    /// Releases held records for delivery.
    ///
    /// - Parameter records: the sequence of each, and its new contents unless they are nil.
    package func release(_ records: [(sequence: Int64, record: StoredRecord?)]) async throws(StoreError) {
        try await buffer.release(
            records.map { ReleasedTag(sequence: $0.sequence, body: $0.record?.storedBody) })
    }
}
