import HLSInput
import NielsenID3
import TagRecord
import TextForms

/// Prints tags in the format that the user selected.
struct TagPrinter {
    private let console: Console
    private let format: String
    private let printsOtherTags: Bool
    private let table: TextTagTable

    init(_ context: CommandContext) throws(UsageError) {
        console = context.console
        format = context.format
        printsOtherTags = context.invocation.isOn(.otherOwners)
        table = TextTagTable(terminalWidth: context.console.width)
        if printsOtherTags, format == "csv" {
            throw context.usageError(
                "--all requires --format text or jsonl: tags of other owners have different fields")
        }
    }

    /// Prints the header of the format, if it has one.
    func printHeader() {
        switch format {
        case "csv": console.print(TagOccurrence.csvHeader)
        case "text": console.print(console.bold(table.header))
        default: break
        }
    }

    /// Returns a line of JSON for each tag of a segment.
    static func jsonLines(of reading: SegmentReading) -> [UInt8] {
        var writer = JSONWriter()
        for record in reading.tags {
            record.write(to: &writer)
            writer.endLine()
        }
        for tag in reading.otherTags {
            tag.write(to: &writer)
            writer.endLine()
        }
        return writer.bytes
    }

    /// Prints the tags of a segment in the order of their times.
    func print(_ reading: SegmentReading) {
        switch format {
        case "csv": for record in reading.tags { console.print(csv: Array(record.csvLine.utf8) + [0x0A]) }
        case "jsonl":
            let lines = Self.jsonLines(of: reading)
            if !lines.isEmpty { console.print(bytes: lines) }
        default:
            for record in reading.tags {
                for line in table.lines(of: record) {
                    console.print(record.problems.isEmpty ? line : console.warning(line))
                }
            }
            for tag in reading.otherTags { for line in table.lines(of: tag) { console.print(line) } }
        }
    }
}
