package import NielsenID3
import StreamHealth
import TagRecord

/// The tags of one rendition as CSV, one row per tag with all its problems, in the columns of `dtvr scan`.
///
/// A problem between tags is known only after later tags have been read. Rows therefore wait until the checks cannot
/// add anything to them. Append every tag, mark every finding, and drain the rows that have settled. Only waiting rows
/// are in memory.
package struct CSVReport: Sendable {
    /// The header with its line end, written once per document, regardless of the number of renditions and inputs.
    package static var header: [UInt8] { Array(TagOccurrence.csvHeader.utf8) + lineEnd }

    /// RFC 4180 requires CR LF, but readers accept either; the rows of `dtvr scan` end the same way.
    private static let lineEnd: [UInt8] = [0x0A]

    private let source: String
    private let rendition: String?
    private var waiting: [(record: TagOccurrence, problems: CheckSet)] = []
    private var firstIndex = 0

    /// Creates the report of one rendition of an input; `rendition` is nil without a multivariant playlist.
    package init(source: String, rendition: String?) {
        self.source = source
        self.rendition = rendition
    }

    /// The number of tags appended, which is the index of the next one.
    package var tagCount: Int { firstIndex + waiting.count }

    /// Appends the rendition's next tag.
    package mutating func append(_ tag: TagOccurrence) {
        var record = tag
        record.origin.place.source = source
        record.origin.place.renditions = rendition.map { [$0] } ?? []
        waiting.append((record, CheckSet(record.problems)))
    }

    /// Marks a violation of a check at the tag with the given index, in the order of `append`.
    ///
    /// Information (`pass`) is not marked, and problems of the tag itself are already known. Returns false if the row
    /// was already drained, because it can no longer change.
    @discardableResult
    package mutating func mark(_ check: CheckID, _ status: CheckStatus, tagIndex: Int) -> Bool {
        let index = tagIndex - firstIndex
        guard waiting.indices.contains(index) else { return false }
        if status > .pass { waiting[index].problems.insert(check) }
        return true
    }

    /// Removes and returns the rows of the tags before an index, or of all tags for nil.
    package mutating func drainRows(before index: Int? = nil) -> [UInt8] {
        let count = min(max(0, (index ?? tagCount) - firstIndex), waiting.count)
        var rows: [UInt8] = []
        for (record, problems) in waiting.prefix(count) {
            rows += record.csvLine(problems: problems.checks).utf8
            rows += Self.lineEnd
        }
        waiting.removeFirst(count)
        firstIndex += count
        return rows
    }
}
