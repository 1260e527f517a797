/// A page of the manual.
struct ManualPage: Sendable {
    /// The subject of a page: the tool, a command or the configuration file.
    enum Subject: Sendable {
        case tool
        case command(CommandDeclaration)
        case configuration
    }

    let subject: Subject

    /// All pages: the tool, each command, and the configuration file.
    static let all: [ManualPage] =
        [ManualPage(subject: .tool)] + CommandRegistry.declarations.map(ManualPage.init)
        + [ManualPage(subject: .configuration)]

    /// Creates the page of a command.
    init(_ command: CommandDeclaration) { self.init(subject: .command(command)) }

    init(subject: Subject) { self.subject = subject }

    var name: String {
        switch subject {
        case .tool: "dtvr"
        case .command(let command): "dtvr-\(command.name)"
        case .configuration: "dtvr-config"
        }
    }

    /// The section number: 1 for programs, 5 for files.
    var section: Int { if case .configuration = subject { 5 } else { 1 } }

    /// The file name, such as `dtvr-scan.1`.
    var fileName: String { "\(name).\(section)" }

    /// The reference that other pages use, such as `dtvr-scan(1)`.
    var reference: String { "\(name)(\(section))" }

    /// The one-line summary.
    var summary: String {
        switch subject {
        case .tool: "Nielsen DTVR timed metadata in HLS streams"
        case .command(let command): command.summary
        case .configuration: "settings of dtvr: configuration file and environment variables"
        }
    }

    /// Returns the page in the man(7) language.
    ///
    /// - Parameters:
    ///   - version: The version of the tool.
    ///   - date: The date of the page, such as `2026-11-20`.
    func source(version: String, date: String) -> String {
        var text = ManualText(title: name, section: section, date: date, version: "dtvr \(version)")
        text.section("NAME")
        text.name(name, summary)
        switch subject {
        case .tool: ToolManual.write(to: &text)
        case .command(let command): CommandManual(command: command).write(to: &text)
        case .configuration: ConfigurationManual.write(to: &text)
        }
        text.section("SEE ALSO")
        text.references(Self.all.map(\.reference).filter { $0 != reference })
        return text.source
    }
}
