import NielsenID3
import TagPolicy
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
    mutating func print(_ tag: NielsenTag) { print(tag, from: nil) }

    /// Prints the tag of an identifier that was found in a text; JSON includes its position and repairs.
    mutating func print(_ finding: OwnerTextFinding) { print(finding.tag, from: finding) }

    private mutating func print(_ tag: NielsenTag, from finding: OwnerTextFinding?) {
        let problems = policy.problems(of: tag)
        switch format {
        case "jsonl":
            var writer = JSONWriter()
            tag.write(to: &writer, problems: problems) { writer in
                if let finding { Self.write(finding, to: &writer) }
            }
            writer.endLine()
            console.print(bytes: writer.bytes)
        case "csv":
            if count == 0 { console.print(NielsenTag.csvHeader) }
            console.print(tag.csvLine(problems: problems))
        default:
            if count > 0 { console.print("") }
            for line in tag.textLines(problems: problems) { console.print(line) }
        }
        count += 1
    }

    private static func write(_ finding: OwnerTextFinding, to writer: inout JSONWriter) {
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
