import ID3v2
import NielsenID3

/// The totals of a reading: segments, bytes, tags by kind, and the time range of the tags.
package struct ReadingTotals: Sendable, Hashable {
    /// The number of segments read completely.
    package private(set) var segmentCount = 0
    /// The number of segments that could not be read, or only in part.
    package private(set) var failedSegmentCount = 0
    /// The number of bytes in the segments read completely.
    package private(set) var byteCount: UInt64 = 0
    /// The number of DATA tags.
    package private(set) var dataCount = 0
    /// The number of INFO tags.
    package private(set) var infoCount = 0
    /// The number of Nielsen tags of other or unreadable kinds.
    package private(set) var unknownCount = 0
    /// The number of truncated Nielsen tags, which are in no other tag count.
    package private(set) var truncatedCount = 0
    /// The number of tags of other owners.
    package private(set) var otherCount = 0
    /// The number of Nielsen tags that fail a check of the tag itself.
    package private(set) var problemCount = 0
    /// The time range covered by valid tags in Unix seconds, or nil before the first one.
    package private(set) var tagTimes: ClosedRange<UInt32>?

    /// Creates totals of zero.
    package init() {}

    /// The number of complete Nielsen tags.
    package var tagCount: Int { dataCount + infoCount + unknownCount }

    /// Adds the result of reading a segment.
    package mutating func add(_ reading: SegmentReading) {
        switch reading.outcome {
        case .read(let count, _):
            if reading.observation.segment?.isContinuation != true { segmentCount += 1 }
            byteCount += count
        case .gap, .playlist: break
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
