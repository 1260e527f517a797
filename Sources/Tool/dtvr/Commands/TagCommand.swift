import FoundationEssentials
import NielsenID3
import StreamHealth
import TagRecord
import TextForms

/// `dtvr tag`: decodes owner identifiers.
struct TagCommand: Command {
    static let declaration = CommandDeclaration(
        "tag",
        summary: "decode owner identifiers from arguments, files or standard input",
        operands: "[OWNER|FILE]...",
        description: """
            Each OWNER is the owner identifier of a tag, starting with www.nielsen.com/. Each FILE is any text, such \
            as a player log, that is searched for owner identifiers, also in gzip; - and no operand stand for \
            standard input. Blanks, line ends, the prefix of a logger in each line, and JSON, URL or HTML escapes in \
            an identifier are repaired and reported.
            """,
        details: [
            """
            Each tag of a text is printed with its source, line and column. jsonl has every repair with its position, \
            csv and text have the kinds of repairs with their numbers. At the end of a text, its repaired \
            identifiers are printed on standard error, grouped by these kinds.
            """
        ],
        settings: [.format(["text", "jsonl", "csv"])] + Setting.limitsOfTags,
        exitStatuses: [.noInput],
        examples: [
            CommandExample("dtvr tag player.log", "every owner identifier in a log"),
            CommandExample(
                "dtvr tag --format csv *.log", "the same of several logs, with the line of each identifier"),
            CommandExample("tail -f player.log | dtvr tag", "the owner identifiers in a log as it grows"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() throws(UsageError) -> ExitStatus {
        var printer = OwnerPrinter(
            context.console, format: context.format, policy: context.invocation.healthPolicy.tagPolicy)
        for (index, operand) in (context.operands.isEmpty ? ["-"] : context.operands).enumerated() {
            if context.console.isOutputClosed || Task.isCancelled { break }
            if operand == "-" || !decode(operand, number: index + 1, &printer) { search(operand, &printer) }
        }
        if Task.isCancelled { return .interrupted }
        if printer.count == 0 { context.console.note("found no owner identifier") }
        return printer.count == 0 ? .noInput : .done
    }

    /// Decodes an argument that is an identifier or a text that contains identifiers, or returns false.
    private func decode(_ owner: String, number: Int, _ printer: inout OwnerPrinter) -> Bool {
        let bytes = Array(owner.utf8)
        let tag = NielsenTag(ownerIdentifier: bytes.span)
        if let tag, tag.formatDefect == nil {
            printer.print(tag)
            return true
        }
        var findings: [OwnerTextFinding] = []
        var search = OwnerTextSearch()
        search.search(bytes.span) { findings.append($0) }
        search.finish { findings.append($0) }
        if findings.contains(where: { !$0.isBroken }) || tag == nil && !findings.isEmpty {
            if findings.allSatisfy(\.isBroken), Self.exists(owner) { return false }
            var repairs = OwnerTextRepairs(in: "argument \(number)")
            for finding in findings {
                repairs.add(finding)
                printer.print(finding, in: nil)
            }
            for line in repairs.lines { context.console.note(line) }
        } else if let tag {
            if Self.exists(owner) { return false }
            // A broken identifier is printed with the complete input.
            printer.print(tag)
        } else {
            return false
        }
        return true
    }

    /// Prints the identifiers in a file or on standard input.
    private func search(_ path: String, _ printer: inout OwnerPrinter) {
        if path != "-", !Self.exists(path) {
            let shown = path.count > 60 ? path.prefix(60) + "…" : path[...]
            return context.console.note(
                "neither the owner identifier of a Nielsen tag nor a file: '\(shown)'")
        }
        // Identifiers before a read error have been printed, so only the count decides the status.
        _ = OwnerTextInput(path, console: context.console)?.read { printer.print($0, in: path) }
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
