import HostSystem
import TextForms

/// `dtvr manual`: prints a page of the manual.
struct ManualCommand: Command {
    static let declaration = CommandDeclaration(
        "manual",
        summary: "print a page of the manual, or the names of the pages",
        operands: "[PAGE]",
        choices: ManualPage.all.map(\.fileName),
        description: """
            Prints the source of a page in the man(7) language, which man and mandoc display. Without PAGE, it prints \
            the file names of all pages, one per line.
            """,
        variables: [
            ManualItem(
                "SOURCE_DATE_EPOCH",
                "The date of the pages, in seconds since 1970; by default, the current time.")
        ],
        examples: [
            CommandExample("dtvr manual dtvr-scan.1 | man -l -", "show a page that is not installed"),
            CommandExample("dtvr manual", "the names of the pages"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() throws(UsageError) -> ExitStatus {
        let date = try date()
        guard let name = context.operands.first else {
            for page in ManualPage.all { context.console.print(page.fileName) }
            return .done
        }
        guard context.operands.count == 1 else {
            throw context.usageError("unexpected argument '\(context.operands[1])': name only one page")
        }
        guard let page = ManualPage.all.first(where: { $0.fileName == name }) else {
            let suggestion = Suggestion.text(for: name, among: ManualPage.all.map(\.fileName))
            throw context.usageError("there is no page '\(name)'\(suggestion)")
        }
        context.console.print(bytes: Array(page.source(version: DTVR.version, date: date).utf8))
        return .done
    }

    /// Returns the date on the page: that of `SOURCE_DATE_EPOCH` if set, so that package builds are reproducible.
    private func date() throws(UsageError) -> String {
        var milliseconds = SystemClock().unixMilliseconds
        if let epoch = context.environment["SOURCE_DATE_EPOCH"], !epoch.isEmpty {
            guard let seconds = Int64(epoch), (0...253_402_300_799).contains(seconds) else {
                throw context.usageError("SOURCE_DATE_EPOCH must be a number of seconds, not '\(epoch)'")
            }
            milliseconds = seconds * 1_000
        }
        return CivilDate(daysSince1970: CivilDate.split(unixMilliseconds: milliseconds).daysSince1970).text
    }
}
