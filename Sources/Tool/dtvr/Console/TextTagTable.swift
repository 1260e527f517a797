import NielsenID3
import TagRecord

/// A table of tags that fits the terminal: narrow terminals get fewer columns.
///
/// Without a terminal the table has all columns, and no cell is shortened.
struct TextTagTable {
    /// The optional columns, in the order of their removal.
    private static let dispensable = [
        "FD CID", "PC CID", "CARRIAGE", "SPAN", "FIRST (UTC)", "SEGMENT", "SEQ", "SECONDS", "KIND",
    ]

    private let columns: [TextTableColumn]
    private let terminalWidth: Int?
    /// The columns before those of the tag.
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

    /// Space reserved for a problem ID, in addition to the heading's width, before the segment column grows.
    private static let problemsSpare = 12
    private static let longestSegment = 40

    /// Returns the minimum width of a row, where the last column is as wide as its heading.
    private static func width(_ columns: [TextTableColumn]) -> Int {
        columns.dropLast().reduce(columns.last?.title.count ?? 0) { $0 + $1.width + 2 }
    }

    /// The header line.
    var header: String {
        guard terminalWidth != nil else { return prefix(leading.map(\.title)) + TagOccurrence.textHeader }
        return columns.map { $0.filled($0.title) }.joined(separator: "  ")
    }

    /// Returns the lines of a tag: one, or more if its problems do not fit.
    ///
    /// - Parameter leadingCells: The cells of the columns before those of the tag.
    func lines(of record: TagOccurrence, leadingCells: [String] = []) -> [String] {
        lines(record.textCells, leadingCells)
    }

    /// Returns the lines of a record with these cells in the columns of a tag.
    func lines(_ textCells: [String], _ leadingCells: [String]) -> [String] {
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

    /// Returns the lines of a tag of another owner.
    func lines(of tag: OtherTagOccurrence) -> [String] {
        guard let terminalWidth else { return [tag.textRow] }
        return WrappedText.folded(tag.textRow, width: terminalWidth, hanging: 14)
    }

    private func prefix(_ cells: [String]) -> String {
        zip(leading, cells).map { WrappedText.padded($1, to: $0.width) + " " }.joined()
    }
}
