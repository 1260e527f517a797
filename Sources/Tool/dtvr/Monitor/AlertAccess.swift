import FoundationEssentials
import HTTPTransfer
import HostSystem
import StreamMonitor
import TextForms

/// The outputs that the user named for alerts.
struct AlertAccess {
    private let context: CommandContext
    private let webhook: Webhook?
    /// The documentation that the user named; nil for the default.
    let documentation: CheckDocumentation?
    /// The address of the monitor's pages that the user named, with a slash at its end; nil for the default.
    private let publicURL: String?
    /// The outputs besides the webhook.
    private let outputs: [any AlertOutput]

    private struct Webhook {
        let url: String
        let key: [UInt8]?
        let format: AlertFormat
        let client: HTTPClient
    }

    /// Reads and validates the alert options.
    init(_ context: CommandContext) throws(UsageError) {
        self.context = context
        webhook = try Self.webhook(context)
        documentation = try Self.documentation(context)
        publicURL = try Self.publicURL(context)
        outputs = try [Self.command(context)].compactMap { $0 }
    }

    private static func webhook(_ context: CommandContext) throws(UsageError) -> Webhook? {
        let key = try key(context)
        let name = context.invocation[.alertFormat]
        guard let url = context.invocation[.alertWebhook] else {
            if key != nil { throw context.usageError("--alert-key-file requires --alert-webhook") }
            return nil
        }
        let format = name.flatMap(AlertFormat.init) ?? .dtvr
        if format.hasKeyInBody, key == nil {
            throw context.usageError(
                "--alert-format \(format.rawValue) requires --alert-key-file with the routing key")
        }
        // The message omits the address because it may contain a secret.
        guard HTTPRequest.isAddress(url) else {
            throw context.usageError("--alert-webhook takes an http or https address")
        }
        return Webhook(url: url, key: key, format: format, client: try context.makeHTTPClient())
    }

    private static func documentation(_ context: CommandContext) throws(UsageError) -> CheckDocumentation? {
        guard let prefix = context.invocation[.docs] else { return nil }
        guard HTTPRequest.isAddress(prefix) else {
            throw context.usageError("--docs takes an http or https address, not '\(prefix)'")
        }
        return CheckDocumentation(prefix: prefix)
    }

    private static func publicURL(_ context: CommandContext) throws(UsageError) -> String? {
        guard let url = context.invocation[.publicURL] else { return nil }
        guard HTTPRequest.isAddress(url), !url.contains("?"), !url.contains("#") else {
            throw context.usageError(
                "--public-url takes an http or https address without a query, not '\(url)'")
        }
        return url.hasSuffix("/") ? url : "\(url)/"
    }

    private static func key(_ context: CommandContext) throws(UsageError) -> [UInt8]? {
        guard let file = context.invocation[.alertKeyFile] else { return nil }
        let text = try context.text(.alertKeyFile, in: file)[...].trimmed
        guard !text.isEmpty else { throw context.usageError("--alert-key-file: '\(file)' contains no key") }
        return Array(text.utf8)
    }

    private static func command(_ context: CommandContext) throws(UsageError) -> (any AlertOutput)? {
        guard let path = context.invocation[.alertCommand] else { return nil }
        guard FileManager.default.isExecutableFile(atPath: path), !FileSystem.isDirectory(path) else {
            throw context.usageError("--alert-command: '\(path)' is not an executable file")
        }
        let console = context.console
        return AlertCommand(path: path, environment: context.environment) { console.note($0) }
    }

    /// Opens the alerts of the last run, which are stored in the buffer's folder.
    ///
    /// - Parameter listener: The server of the pages; nil without one.
    func openPipeline(in folder: String, listener: MonitorListener?) -> AlertPipeline {
        let console = context.console
        let note = { @Sendable (text: String) in console.note(text) }
        let queue = webhook.map {
            WebhookQueue(markPath: "\(folder)/alerts-webhook.json", format: $0.format, note: note)
        }
        let store = AlertStore(path: "\(folder)/alerts.json", webhook: queue)
        if let problem = store.problem {
            console.note("\(folder)/alerts.json: the active alerts cannot be read: \(problem)")
        }
        var sender: AlertWebhook?
        if let webhook, let queue {
            sender = AlertWebhook(
                url: webhook.url, key: webhook.key, client: webhook.client, queue: queue, note: note)
        }
        return AlertPipeline(
            store, evidence: EvidenceRecorder(folder: "\(folder)/evidence", note: note), webhook: sender,
            outputs: outputs, links: links(listener))
    }

    /// Returns the addresses that alerts link to.
    private func links(_ listener: MonitorListener?) -> AlertLinks {
        let pages = publicURL ?? listener?.pages
        var links = AlertLinks(
            documentation: documentation ?? pages.map { CheckDocumentation(prefix: "\($0)checks/") })
        links.pages = pages
        links.isPublic = publicURL != nil
        links.instance = ProcessFacts.hostName + (listener.map { $0.port == 0 ? "" : ":\($0.port)" } ?? "")
        return links
    }
}

extension Setting {
    static let docs = Setting(
        "docs", .text("URL"),
        help: """
            link alerts to the documentation at URL, with the id of the check appended; by default to the page \
            /checks/ID of --public-url or --listen
            """)
    static let publicURL = Setting(
        "public-url", .text("URL"),
        help: """
            the address at which readers of alerts reach the pages of --listen, such as that of a proxy: alerts link \
            to the page of their channel
            """)
    static let alertFormat = Setting(
        "alert-format", .choice(AlertFormat.allCases.map(\.rawValue)), default: AlertFormat.dtvr.rawValue,
        help: """
            the receiver of --alert-webhook, which decides how alerts are written: dtvr is the object that --format \
            jsonl prints
            """)
    static let alertWebhook = Setting(
        "alert-webhook", .text("URL"),
        help: """
            send each alert by POST to URL when it is raised and when it is cleared, in the form of --alert-format
            """)
    static let alertKeyFile = Setting(
        "alert-key-file", .path("FILE"),
        help: """
            sign the requests to --alert-webhook with the key in FILE (HMAC-SHA-256); with --alert-format pagerduty, \
            FILE has the routing key
            """)
    static let alertCommand = Setting(
        "alert-command", .path("PROGRAM"),
        help: """
            run PROGRAM for each alert that is raised or cleared; its argument is a sentence, and its standard input \
            is the object that --format jsonl prints
            """)
}
