package import NielsenID3
package import StreamHealth
import TagRecord

/// The tags of one rendition as CSV, one row a tag with all its problems, in the columns of `dtvr scan`.
///
/// A problem between tags is known only when later ones have been read. Rows therefore wait here until the checks
/// can say nothing more about them: append every tag, mark every finding, and take the rows that are settled. Only
/// what waits is in memory.
package struct CSVReport: Sendable {
    /// The header, with its line end; once a document, however many renditions and inputs follow.
    package static var header: [UInt8] { Array(TagOccurrence.csvHeader.utf8) + lineEnd }

    /// RFC 4180 asks for CR LF and readers take either; rows of `dtvr scan` end the same way.
    private static let lineEnd: [UInt8] = [0x0A]

    private let source: String
    private let rendition: String?
    private var waiting: [(record: TagOccurrence, problems: CheckSet)] = []
    private var firstIndex = 0

    /// The rows of one rendition of an input; nil for the rendition without a multivariant playlist.
    package init(source: String, rendition: String?) {
        self.source = source
        self.rendition = rendition
    }

    /// How many tags were appended; the next one gets this index.
    package var tagCount: Int { firstIndex + waiting.count }

    /// Takes the rendition's next tag.
    package mutating func append(_ tag: TagOccurrence) {
        var record = tag
        record.origin.place.source = source
        record.origin.place.renditions = rendition.map { [$0] } ?? []
        waiting.append((record, CheckSet(record.problems)))
    }

    /// Notes that a check is violated at a tag, by its index in the order in which tags were appended.
    ///
    /// Information (`pass`) is not noted; what a tag fails by itself need not be. A row that was taken stays as it
    /// was: the answer is false.
    @discardableResult
    package mutating func mark(_ check: CheckID, _ status: CheckStatus, tagIndex: Int) -> Bool {
        let index = tagIndex - firstIndex
        guard waiting.indices.contains(index) else { return false }
        if status > .pass { waiting[index].problems.insert(check) }
        return true
    }

    /// The rows of the tags in front of an index, and forgets them; those of all tags where no index is given.
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
