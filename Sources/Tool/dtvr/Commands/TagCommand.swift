import NielsenID3
import StreamHealth
import TagRecord
import TextForms

/// `dtvr tag`: decodes owner identifiers.
struct TagCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() throws(UsageError) -> ExitStatus {
        let format = context.format
        let policy = context.invocation.healthPolicy
        var decoded = 0
        let show = { (tag: NielsenTag) in
            if decoded == 0, format == "csv" { context.console.print(NielsenTag.csvHeader) }
            if decoded > 0, format == "text" { context.console.print("") }
            print(tag, problems: policy.problems(of: tag), format: format)
            decoded += 1
        }
        if context.operands.isEmpty || context.operands == ["-"] {
            // What stands before a place that cannot be read has been shown, which counts.
            _ = OwnerTextInput("-", console: context.console)?.read { show($0.tag) }
        } else {
            for owner in context.operands {
                if let tag = NielsenTag(ownerIdentifier: Array(owner.utf8).span) {
                    show(tag)
                } else {
                    context.console.note("not the owner identifier of a Nielsen tag: '\(owner.prefix(60))'")
                }
            }
        }
        if decoded == 0 { context.console.note("no owner identifier could be read") }
        return decoded == 0 ? .noInput : .done
    }

    private func print(_ tag: NielsenTag, problems: [CheckID], format: String) {
        switch format {
        case "jsonl":
            var writer = JSONWriter()
            tag.write(to: &writer, problems: problems)
            writer.endLine()
            context.console.print(bytes: writer.bytes)
        case "csv": context.console.print(tag.csvLine(problems: problems))
        default: for line in tag.textLines(problems: problems) { context.console.print(line) }
        }
    }
}
