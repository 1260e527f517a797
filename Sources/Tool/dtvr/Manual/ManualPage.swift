/// A page of the manual.
struct ManualPage: Sendable {
    /// What the page is about: a program's command or a file.
    enum Subject: Sendable, Hashable {
        case tool
        case command(CommandName)
        case configuration
    }

    let subject: Subject

    /// All pages: that of the tool, one for each command, that of the configuration file.
    static let all: [ManualPage] =
        [ManualPage(subject: .tool)] + CommandName.allCases.map { ManualPage(subject: .command($0)) }
        + [ManualPage(subject: .configuration)]

    /// The page of a command.
    init(_ command: CommandName) { self.init(subject: .command(command)) }

    init(subject: Subject) { self.subject = subject }

    var name: String {
        switch subject {
        case .tool: "dtvr"
        case .command(let command): "dtvr-\(command.rawValue)"
        case .configuration: "dtvr-config"
        }
    }

    /// 1 for programs, 5 for files.
    var section: Int { subject == .configuration ? 5 : 1 }

    /// The name of its file, `dtvr-scan.1`.
    var fileName: String { "\(name).\(section)" }

    /// How other pages refer to it, `dtvr-scan(1)`.
    var reference: String { "\(name)(\(section))" }

    /// One line on what it is about.
    var summary: String {
        switch subject {
        case .tool: "Nielsen DTVR timed metadata in HLS streams"
        case .command(let command): command.summary
        case .configuration: "settings of dtvr: configuration file and environment variables"
        }
    }

    /// The page in the man(7) language.
    ///
    /// - Parameters:
    ///   - version: the version of the tool.
    ///   - date: the day that the page is of, `2026-11-20`.
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
        text.references(Self.all.filter { $0.subject != subject }.map(\.reference))
        return text.source
    }
}
