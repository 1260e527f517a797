import NielsenID3
import TagRecord

/// A table of tags, fitted to the user's terminal: columns that are missed least are left out where it is narrow.
///
/// Without a terminal the table has all its columns, and nothing is truncated.
struct TagTable {
    /// The columns that may be left out, in that order.
    private static let dispensable = [
        "FD CID", "PC CID", "CARRIAGE", "SPAN", "FIRST (UTC)", "SEGMENT", "SEQ", "SECONDS", "KIND",
    ]

    private let columns: [TextTableColumn]
    private let terminalWidth: Int?
    /// The columns before those of the tag itself.
    private let leading: [TextTableColumn]

    init(terminalWidth: Int?, leading: [TextTableColumn] = []) {
        self.terminalWidth = terminalWidth
        self.leading = leading
        var columns = leading + TagOccurrence.textColumns
        if let terminalWidth {
            for title in Self.dispensable where Self.width(columns) > terminalWidth {
                columns.removeAll { $0.title == title }
            }
            let spare = terminalWidth - Self.width(columns) - Self.problemsSpare
            columns = columns.map { column in
                guard column.title == "SEGMENT", spare > 0 else { return column }
                return TextTableColumn(
                    column.title, column.width + min(spare, Self.longestSegment - column.width))
            }
        }
        self.columns = columns
    }

    /// Room for the id of a problem beside the heading's own, before names of segments get more.
    private static let problemsSpare = 12
    private static let longestSegment = 40

    /// How wide a row is at least; the last column is as wide as its heading.
    private static func width(_ columns: [TextTableColumn]) -> Int {
        columns.dropLast().reduce(columns.last?.title.count ?? 0) { $0 + $1.width + 2 }
    }

    /// The heading.
    var header: String {
        guard terminalWidth != nil else { return prefix(leading.map(\.title)) + TagOccurrence.textHeader }
        return columns.map { $0.filled($0.title) }.joined(separator: "  ")
    }

    /// A tag: one line, and further ones where its problems do not fit beside the rest.
    ///
    /// - Parameter leadingCells: What stands in the columns before those of the tag.
    func lines(of record: TagOccurrence, leadingCells: [String] = []) -> [String] {
        lines(record.textCells, leadingCells)
    }

    /// How an asset was played, in the columns of a tag.
    func lines(of summary: AssetSummary, leadingCells: [String]) -> [String] {
        lines(summary.textCells, leadingCells)
    }

    private func lines(_ textCells: [String], _ leadingCells: [String]) -> [String] {
        guard let terminalWidth else { return [prefix(leadingCells) + TagOccurrence.textRow(textCells)] }
        var cells = Dictionary(uniqueKeysWithValues: zip(TagOccurrence.textColumns.map(\.title), textCells))
        for (column, cell) in zip(leading, leadingCells) { cells[column.title] = cell }
        let row = columns.map { column in
            let cell = cells[column.title] ?? ""
            return column.filled(column.width > 0 ? WrappedText.shortened(cell, to: column.width) : cell)
        }
        let line = row.joined(separator: "  ")
        if line.count <= terminalWidth { return [line] }
        let start = row.dropLast().joined(separator: "  ")
        return [start + "  …"] + WrappedText.lines(row.last ?? "", width: terminalWidth, indent: 4)
    }

    /// A tag of another owner.
    func lines(of tag: OtherTagOccurrence) -> [String] {
        guard let terminalWidth else { return [tag.textRow] }
        return WrappedText.folded(tag.textRow, width: terminalWidth, hanging: 14)
    }

    private func prefix(_ cells: [String]) -> String {
        zip(leading, cells).map { WrappedText.padded($1, to: $0.width) + " " }.joined()
    }
}
