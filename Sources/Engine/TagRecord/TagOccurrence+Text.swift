import NielsenID3
import TextForms
import TimedMedia

extension TagOccurrence {
    /// The heading of a table of tags.
    package static var textHeader: String {
        row([
            "SECONDS", "KIND", "SEQ", "FIRST (UTC)", "SPAN", "PC CID", "FD CID", "SEGMENT", "CARRIAGE",
            "PROBLEMS",
        ])
    }

    /// The tag as one row of that table; what is not known is a dash.
    package var textRow: String {
        Self.row([
            seconds.map { DecimalText.fixed($0, decimals: 3, unknown: "-") } ?? "-",
            isTruncated ? "partial" : tag.kind?.name ?? "-",
            tag.sequence.map { String($0) } ?? "-",
            tag.firstTime.map { RFC3339.tableText(unixSeconds: Int64($0)) } ?? "-",
            Self.span(from: tag.firstTime, to: tag.lastTime),
            Self.short(tag.pcCID),
            Self.short(tag.fdCID),
            origin.place.segment ?? "-",
            carriageText,
            problems.isEmpty ? "-" : problems.map(\.rawValue).joined(separator: " "),
        ])
    }

    private static func row(_ cells: [String]) -> String {
        let columns: [(width: Int, pad: (String, Int) -> String)] = [
            (12, TextColumn.right), (7, TextColumn.left), (5, TextColumn.right), (19, TextColumn.left),
            (5, TextColumn.right), (9, TextColumn.left), (9, TextColumn.left), (16, TextColumn.left),
            (12, TextColumn.left), (0, TextColumn.left),
        ]
        return zip(cells, columns).map { cell, column in column.pad(cell, column.width) }.joined(
            separator: "  ")
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

/// Text of a fixed width; longer text is not cut.
enum TextColumn {
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
