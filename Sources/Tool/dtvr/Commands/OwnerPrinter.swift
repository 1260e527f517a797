import NielsenID3
import TagRecord
import TextForms

/// Prints decoded owner identifiers in the format that the user selected.
struct OwnerPrinter {
    private let console: Console
    private let format: String
    private let policy: TagPolicy

    /// The number of printed tags.
    private(set) var count = 0

    init(_ console: Console, format: String, policy: TagPolicy) {
        self.console = console
        self.format = format
        self.policy = policy
    }

    /// Prints the tag of an identifier that was a separate argument.
    mutating func print(_ tag: NielsenTag) { print(tag, from: nil, in: nil) }

    /// Prints the tag of an identifier that was found in a text, with its position and repairs.
    ///
    /// - Parameter source: The path of the text as the user entered it; nil for an argument.
    mutating func print(_ finding: OwnerTextFinding, in source: String?) {
        print(finding.tag, from: finding, in: source)
    }

    private mutating func print(_ tag: NielsenTag, from finding: OwnerTextFinding?, in source: String?) {
        let problems = policy.problems(of: tag)
        switch format {
        case "jsonl":
            var writer = JSONWriter()
            tag.write(to: &writer, problems: problems) { writer in
                if let finding { Self.write(finding, in: source, to: &writer) }
            }
            writer.endLine()
            console.print(bytes: writer.bytes)
        case "csv":
            if count == 0 { console.print(Self.csvHeader) }
            let row = tag.csvLine(problems: problems) + Self.csvCells(of: finding, in: source) + "\n"
            console.print(csv: Array(row.utf8))
        default:
            if count > 0 { console.print("") }
            if let finding, let source {
                let name = source == "-" ? "standard input" : source
                console.print(NielsenTag.textLine("source", "\(name):\(finding.place)"))
            }
            for line in tag.textLines(problems: problems) { console.print(line) }
            if let finding, !finding.repairs.isEmpty {
                console.print(NielsenTag.textLine("repairs", finding.repairSummary))
            }
        }
        count += 1
    }

    private static let csvHeader = NielsenTag.csvHeader + ",source,line,column,repairs"

    /// The cells on the position and repairs of an identifier, which are empty for an argument.
    private static func csvCells(of finding: OwnerTextFinding?, in source: String?) -> String {
        guard let finding else { return ",,,," }
        let cells = [
            source ?? "", String(finding.place.line), String(finding.place.column), finding.repairSummary,
        ]
        return cells.map { "," + CSVField.text($0) }.joined()
    }

    private static func write(
        _ finding: OwnerTextFinding, in source: String?, to writer: inout JSONWriter
    ) {
        if let source {
            writer.key("source")
            writer.value(source)
        }
        write(finding.place, to: &writer)
        writer.key("repairs")
        writer.beginArray()
        for repair in finding.repairs {
            writer.beginObject()
            writer.key("kind")
            writer.value(repair.kind.rawValue)
            write(repair.place, to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(_ place: TextPlace, to writer: inout JSONWriter) {
        writer.key("line")
        writer.value(place.line)
        writer.key("column")
        writer.value(place.column)
    }
}
