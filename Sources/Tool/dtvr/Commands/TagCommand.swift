import NielsenID3
import StreamHealth
import TagRecord
import TextForms

/// `dtvr tag`: decodes owner identifiers.
struct TagCommand: Command {
    static let declaration = CommandDeclaration(
        "tag",
        summary: "decode owner identifiers from arguments or standard input",
        operands: "[OWNER...]",
        description: """
            Each OWNER is the owner identifier of a tag, starting with www.nielsen.com/. Without OWNER, the command \
            searches the text on standard input for owner identifiers. Blanks, line ends and JSON, URL or HTML escapes \
            in an identifier are repaired and reported.
            """,
        settings: [.format(["text", "jsonl", "csv"])] + Setting.limitsOfTags,
        exitStatuses: [.noInput],
        examples: [
            CommandExample("dtvr tag < player.log", "every owner identifier in a log"),
            CommandExample(
                "dtvr tag --format jsonl - < player.log",
                "the same as JSON objects, with the line and column of each identifier"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() throws(UsageError) -> ExitStatus {
        var printer = OwnerPrinter(
            context.console, format: context.format, policy: context.invocation.healthPolicy.tagPolicy)
        if context.operands.isEmpty || context.operands == ["-"] {
            // Identifiers before a read error have been printed, so only the count decides the status.
            _ = OwnerTextInput("-", console: context.console)?.read { printer.print($0) }
        } else {
            for (index, owner) in context.operands.enumerated() where !context.console.isOutputClosed {
                decode(owner, number: index + 1, &printer)
            }
        }
        if Task.isCancelled { return .interrupted }
        if printer.count == 0 { context.console.note("found no owner identifier") }
        return printer.count == 0 ? .noInput : .done
    }

    /// Decodes an argument, which is an identifier or a text that contains identifiers.
    private func decode(_ owner: String, number: Int, _ printer: inout OwnerPrinter) {
        let bytes = Array(owner.utf8)
        let tag = NielsenTag(ownerIdentifier: bytes.span)
        if let tag, tag.formatDefect == nil { return printer.print(tag) }
        var findings: [OwnerTextFinding] = []
        var search = OwnerTextSearch()
        search.search(bytes.span) { findings.append($0) }
        search.finish { findings.append($0) }
        if findings.contains(where: { !$0.isBroken }) || tag == nil && !findings.isEmpty {
            for finding in findings {
                if let note = OwnerTextInput.note(on: finding, in: "argument \(number)") {
                    context.console.note(note)
                }
                printer.print(finding)
            }
        } else if let tag {
            // A broken identifier is printed with the complete input.
            printer.print(tag)
        } else {
            context.console.note("not the owner identifier of a Nielsen tag: '\(owner.prefix(60))'")
        }
    }
}
