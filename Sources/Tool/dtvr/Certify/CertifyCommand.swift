import FoundationEssentials
import HLSInput
import HostSystem
import ID3v2
import NielsenID3
import PlayerCertification
import PlayerSession
import Reporting
import StreamHealth

/// `dtvr certify`: applies the rules of the guides to the calls of a player.
struct CertifyCommand: Command {
    static let declaration = CommandDeclaration(
        "certify",
        summary: "check the calls of a player against the rules of the guides",
        operands: "[INPUT]...",
        description: """
            INPUT is a log of the calls of a player, as JSON lines, or - for standard input. A session writes one with \
            nol_devDebug or its option log. Lines may also be records of a player, as dtvr store export prints them, \
            or the addresses of pings. INPUT may also be a HAR file with pings, or the JSON vars of an AMP page. \
            The result of each rule is pass, warn, fail or not-run. The exit status \
            is 1 if a rule failed and 0 if none did; with --strict, it is also 1 if no rule was run.
            """,
        details: [
            """
            A rule that the log gives no occasion to test is not run, and says what to do in the app so that it is. \
            The report also lists the situations that the log has, and those that it does not have.
            """,
            """
            The sfcode of the app selects the rules of its market, unless --market names one. Without both, the \
            rules of markets are not run. --list lists the rules; --explain describes a rule, its usual cause, and \
            what to do. Nothing is stored or sent.
            """,
            """
            --against compares the tags that the player handed over with those of the stream that it played, by \
            content, for the stretches that it played: never handed over, late, twice, altered, or from elsewhere. \
            Of a multivariant playlist, the variant with the lowest bandwidth is read, with its default audio. \
            Tags from before or after the window of a live playlist are not compared.
            """,
            """
            The pings in a HAR file are those of a proxy between the app and the network: mitmproxy, Charles, or the \
            developer tools of a browser. The host selects the rules of a market, as in secure-ire.nmrodam.com. \
            Pings are read, and never sent.
            """,
            InputAccess.details,
            """
            --header, --client-cert and --proxy are for the stream of --against, as in dtvr-check(1). With --channels \
            FILE --channel ID and without --against, that stream is the channel.
            """,
        ],
        settings: [
            .format(["text", "json", "junit", "html", "sarif", "github"]), .market, .platform,
            .playerConfig.adapted {
                $0.help = "the configuration of the app (JSON), such as the meaning of its keys"
            },
            .allChecks.adapted { $0.help = "also list the rules that were not run (text)" },
            .output,
            .against.adapted { $0.help = "compare the tags with those of the stream that the player played" },
            .showSecrets, .allowPrivate, .jobs, .maxSegmentBytes, .cacert,
        ] + InputConnection.settings + [
            .strict.adapted { $0.help = "exit with status 1 also if no rule was run on a log" },
            .explain.adapted {
                $0.kind = .choice(RuleGuide.ruleTopics + ["list"], shownAs: "ID|all|list")
                $0.help =
                    "instead of reading a log, explain the rule with this id, and what to do; list: same as --list"
                $0.suggestions = RuleGuide.ruleTopics + ["list"]
            },
            .list.adapted {
                $0.help = "instead of reading a log, list the rules: id, worst status and meaning"
            },
        ],
        exitStatuses: [.checkFailed, .noInput],
        examples: [
            CommandExample("dtvr certify calls.jsonl", "the rules that the player breaks"),
            CommandExample(
                "dtvr certify --market us --platform ios --all calls.jsonl",
                "by the rules of one market, with what to do in the app for the rules that were not run"),
            CommandExample(
                "dtvr certify --format junit calls.jsonl",
                "one test case for each rule, for continuous integration"),
            CommandExample(
                "dtvr certify --strict --format sarif --output calls.sarif calls.jsonl",
                "annotations at the lines of the log, for a code host"),
            CommandExample(
                "dtvr certify --format html --output report.html calls.jsonl",
                "a self-contained page with plots"),
            CommandExample(
                "dtvr certify --against main.m3u8 calls.jsonl", "the tags of the stream that the player lost"),
            CommandExample("dtvr certify session.har", "the pings that a proxy has recorded"),
            CommandExample("dtvr certify --explain order.stop", "what a rule means, and what to do"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        let guide = RuleGuide.rules(terminalWidth: context.console.width)
        let others =
            [.format, .allChecks, .output, .market, .platform, .playerConfig, .against, .strict]
            + Self.streamSettings
        if try guide.answers(context, refusing: others) { return .done }
        try context.requireOperands("log")
        var access: InputAccess?
        let connection = try InputConnection(context)
        let streamName = context.invocation[.against] ?? connection.address
        if streamName != nil {
            access = try InputAccess(context, through: connection, compares: true, choice: .lowest)
        }
        if access == nil {
            try context.refuse(Self.streamSettings, "requires --against")
        }
        if context.format != "text" { try context.refuse([.allChecks], "requires --format text") }
        let configuration = try configuration()
        var output = ResultOutput(context)
        guard output.isUsable else { return .output }
        var stream: StreamTags?
        if let access, let name = streamName {
            guard let tags = await tags(of: name, through: access) else {
                return Task.isCancelled ? .interrupted : .noInput
            }
            stream = tags
        }
        var reports: [CertificationReport] = []
        var hasUnreadable = false
        for source in context.operands where !Task.isCancelled && !output.isClosed {
            if var report = await report(on: source, with: configuration, against: stream) {
                if context.invocation.isOn(.strict), let reason = report.requireCompleteness() {
                    context.console.note("\(source): --strict: \(reason)")
                }
                reports.append(report)
            } else {
                hasUnreadable = true
            }
        }
        if Task.isCancelled { return .interrupted }
        if reports.isEmpty { return .noInput }
        output.write(document(of: reports, for: output))
        let hasFailed = reports.contains { $0.status == .fail || $0.error != nil }
        return output.finish(hasFailed ? .checkFailed : hasUnreadable ? .noInput : .done)
    }

    /// Returns the report on a log; nil if no line of it could be read, which has been printed.
    private func report(
        on source: String, with configuration: SessionConfiguration, against stream: StreamTags?
    ) async -> CertificationReport? {
        var options = Certification.Options()
        options.configuration = configuration
        options.market = context.invocation[.market].flatMap { Market(rawValue: $0) }
        options.platform = context.invocation[.platform].flatMap { Platform(rawValue: $0) }
        var certification = Certification(
            of: source, options: options, against: stream,
            recordsCalls: context.format == "html")
        var problem = ""
        let isRead = await CallLogInput(context: context).read(source, with: CertificationReader()) { line in
            if problem.isEmpty, case .unreadable(let reason) = line.content {
                problem = "; line \(line.number): \(reason)"
            }
            certification.observe(line)
        }
        guard isRead else { return nil }
        let report = certification.finish()
        if report.isEmpty, !Task.isCancelled {
            context.console.note("\(source): no call could be read, and no ping\(problem)")
            return nil
        }
        return report
    }

    private func configuration() throws(UsageError) -> SessionConfiguration {
        guard let file = context.invocation[.playerConfig] else { return SessionConfiguration() }
        guard let json = FileManager.default.contents(atPath: file) else {
            throw context.usageError("--player-config: cannot read '\(file)'")
        }
        do throws(ConfigurationProblem) {
            return try SessionConfiguration(json: [UInt8](json))
        } catch {
            throw context.usageError("--player-config: \(file): \(error.text)")
        }
    }

    /// Returns the tags of a stream; nil after printing the reason that there are none.
    private func tags(of source: String, through access: InputAccess) async -> StreamTags? {
        guard let readings = await access.open(InputOperand(source)) else { return nil }
        var tags = StreamTags(of: context.printable(source))
        tags.isWindow = readings.presentation.renditions.contains(where: \.isLive)
        var progress = InputProgress(readings, on: context.console)
        for await segment in readings {
            let observation = segment.observation
            let duration = observation.segment?.duration ?? 0
            for tag in observation.tags + observation.trailingTags {
                tags.append(tag.tag, position: tag.position, segmentDuration: duration)
            }
            progress.add(segment)
        }
        progress.end()
        guard progress.readCount > 0, !Task.isCancelled else {
            if !Task.isCancelled {
                context.console.note("\(context.printable(source)): no segment could be read")
            }
            return nil
        }
        return tags
    }

    private func document(
        of reports: [CertificationReport], for output: borrowing ResultOutput
    ) -> [UInt8] {
        reports.document(
            as: ReportFormat(rawValue: context.format) ?? .text, producer: "dtvr \(DTVR.version)",
            made: SystemClock().unixMilliseconds, isColored: output.isColored, terminalWidth: output.width,
            listsAllChecks: context.invocation.isOn(.allChecks)) ?? []
    }

    /// The settings that have an effect only on the stream of `--against`.
    private static let streamSettings: [Setting] =
        [.showSecrets, .allowPrivate, .jobs, .maxSegmentBytes, .cacert] + InputConnection.settings
}

extension Setting {
    static let market = Setting(
        "market", .choice(Market.allCases.map(\.rawValue)),
        help: "the market whose rules apply; by default, that of the sfcode of the app")
    static let platform = Setting(
        "platform", .choice(Platform.allCases.map(\.rawValue)),
        help: "the platform of the app, which selects the guide of its market")
}
