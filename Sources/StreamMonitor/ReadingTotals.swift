import NielsenID3
import TagRecord
import TimedMedia

/// What was read so far: segments, bytes, tags of each kind, and the time that the tags cover.
public struct ReadingTotals: Sendable, Hashable {
    /// Segments that were read to their end.
    public private(set) var segmentCount = 0
    /// Segments that could not be read, or not to their end.
    public private(set) var failedSegmentCount = 0
    /// Segments that their playlist says are not there.
    public private(set) var gapCount = 0
    /// The bytes of the segments that were read.
    public private(set) var byteCount: UInt64 = 0
    /// DATA tags.
    public private(set) var dataCount = 0
    /// INFO tags.
    public private(set) var infoCount = 0
    /// Nielsen tags of another kind, and those whose kind cannot be read.
    public private(set) var unknownCount = 0
    /// Nielsen tags that are cut; they are in no other count.
    public private(set) var partialCount = 0
    /// Tags of other owners.
    public private(set) var otherCount = 0
    /// Nielsen tags that fail a check by themselves.
    public private(set) var problemCount = 0
    /// The earliest first time and the latest last time of the tags, in Unix seconds; nil before the first.
    public private(set) var tagTimes: ClosedRange<UInt32>?

    /// Nothing read yet.
    public init() {}

    /// All Nielsen tags that are whole.
    public var tagCount: Int { dataCount + infoCount + unknownCount }

    /// Counts what came of a segment.
    public mutating func add(_ reading: SegmentReading) {
        switch reading.outcome {
        case .read(let count, _):
            segmentCount += 1
            byteCount += count
        case .gap: gapCount += 1
        case .playlist: break
        case .failed: failedSegmentCount += 1
        }
        otherCount += reading.otherTagCount
        for record in reading.tags { add(record) }
    }

    private mutating func add(_ record: RecordedTag) {
        if !record.problemIDs.isEmpty { problemCount += 1 }
        if record.isPartial {
            partialCount += 1
            return
        }
        switch record.tag.kind {
        case .data: dataCount += 1
        case .info: infoCount += 1
        case .unknown, nil: unknownCount += 1
        }
        guard let first = record.tag.firstTime, let last = record.tag.lastTime, first <= last,
            record.tag.isChecksumRight == true
        else { return }
        tagTimes = min(first, tagTimes?.lowerBound ?? first)...max(last, tagTimes?.upperBound ?? last)
    }
}
