import ID3v2
import NielsenID3
import TextForms

extension TagOccurrence {
    /// The columns of a table of tags.
    package static let textColumns = [
        TextTableColumn("SECONDS", 12, isRightAligned: true), TextTableColumn("KIND", 9),
        TextTableColumn("SEQ", 5, isRightAligned: true), TextTableColumn("FIRST (UTC)", 19),
        TextTableColumn("SPAN", 5, isRightAligned: true), TextTableColumn("PC CID", 9),
        TextTableColumn("FD CID", 9), TextTableColumn("SEGMENT", 16), TextTableColumn("CARRIAGE", 12),
        TextTableColumn("PROBLEMS", 0),
    ]

    /// The header row of a table of tags, at full width.
    package static var textHeader: String { textRow(textColumns.map(\.title)) }

    /// The cells of the tag's row, with a dash for each unknown value.
    package var textCells: [String] {
        [
            seconds.map { DecimalText.fixed($0, decimals: 3, unknown: "-") } ?? "-",
            isTruncated ? "truncated" : tag.kind?.name ?? "-",
            tag.sequence.map { String($0) } ?? "-",
            tag.firstTime.map { RFC3339.tableText(unixSeconds: Int64($0)) } ?? "-",
            Self.span(from: tag.firstTime, to: tag.lastTime),
            Self.short(tag.pcCID),
            Self.short(tag.fdCID),
            PrintableText.of(origin.place.segment ?? fileName ?? "-"),
            carriageText,
            problems.isEmpty ? "-" : problems.map(\.rawValue).joined(separator: " "),
        ]
    }

    /// Returns cells as one row of the table, at full width.
    package static func textRow(_ cells: [String]) -> String {
        zip(cells, textColumns).map { $1.filled($0) }.joined(separator: "  ")
    }

    /// The name of the file that was read without a playlist; nil for other input.
    private var fileName: String? {
        guard case .recording(let place) = origin, place.renditions.isEmpty else { return nil }
        let path = place.source.prefix { $0 != "?" }
        return path.split(separator: "/").last.map(String.init)
    }

    private var carriageText: String {
        guard case .transportStream(let pid) = carriage else { return carriage.name }
        return "\(carriage.name) \(pid)"
    }

    private static func span(from first: UInt32?, to last: UInt32?) -> String {
        guard let first, let last else { return "-" }
        return "\(Int64(last) - Int64(first)) s"
    }

    private static func short(_ id: ContentID?) -> String {
        guard let id else { return "-" }
        return id == .null ? "none" : id.text.prefix(8) + "…"
    }
}

/// A column of a human-readable table.
package struct TextTableColumn: Sendable, Hashable {
    /// The heading.
    package let title: String
    /// The minimum width, in characters.
    package let width: Int
    /// Whether the cells are right-aligned, as numbers are.
    package let isRightAligned: Bool

    /// Creates a column, left-aligned by default.
    package init(_ title: String, _ width: Int, isRightAligned: Bool = false) {
        self.title = title
        self.width = width
        self.isRightAligned = isRightAligned
    }

    /// Returns a cell padded to the width of the column; longer text is not truncated.
    package func filled(_ text: String) -> String {
        isRightAligned ? TextColumn.right(text, width) : TextColumn.left(text, width)
    }
}
