import NielsenID3
import TimedMedia

/// What was read so far: segments, bytes, tags of each kind, and the time that the tags cover.
package struct ReadingTotals: Sendable, Hashable {
    /// Segments that were read to their end.
    package private(set) var segmentCount = 0
    /// Segments that could not be read, or not to their end.
    package private(set) var failedSegmentCount = 0
    /// Segments that their playlist says are not there.
    package private(set) var gapCount = 0
    /// The bytes of the segments that were read.
    package private(set) var byteCount: UInt64 = 0
    /// DATA tags.
    package private(set) var dataCount = 0
    /// INFO tags.
    package private(set) var infoCount = 0
    /// Nielsen tags of another kind, and those whose kind cannot be read.
    package private(set) var unknownCount = 0
    /// Nielsen tags that are truncated; they are in no other count.
    package private(set) var truncatedCount = 0
    /// Tags of other owners.
    package private(set) var otherCount = 0
    /// Nielsen tags that fail a check by themselves.
    package private(set) var problemCount = 0
    /// The earliest first time and the latest last time of the tags, in Unix seconds; nil before the first.
    package private(set) var tagTimes: ClosedRange<UInt32>?

    /// Nothing read yet.
    package init() {}

    /// All Nielsen tags that are complete.
    package var tagCount: Int { dataCount + infoCount + unknownCount }

    /// Counts what came of a segment.
    package mutating func add(_ reading: SegmentReading) {
        switch reading.outcome {
        case .read(let count, _):
            segmentCount += 1
            byteCount += count
        case .gap: gapCount += 1
        case .playlist: break
        case .failed: failedSegmentCount += 1
        }
        otherCount += reading.observation.otherTagCount
        for record in reading.tags { add(record) }
    }

    private mutating func add(_ record: TagOccurrence) {
        if !record.problems.isEmpty { problemCount += 1 }
        if record.isTruncated {
            truncatedCount += 1
            return
        }
        switch record.tag.kind {
        case .data: dataCount += 1
        case .info: infoCount += 1
        case .unknown, nil: unknownCount += 1
        }
        guard let first = record.tag.firstTime, let last = record.tag.lastTime, first <= last,
            record.tag.isChecksumValid == true
        else { return }
        tagTimes = min(first, tagTimes?.lowerBound ?? first)...max(last, tagTimes?.upperBound ?? last)
    }
}
