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
    /// The outputs besides the webhook.
    private let outputs: [any AlertOutput]

    private struct Webhook {
        let url: String
        let key: [UInt8]?
        let client: HTTPClient
    }

    /// Reads and validates the alert options.
    init(_ context: CommandContext) throws(UsageError) {
        self.context = context
        webhook = try Self.webhook(context)
        documentation = try Self.documentation(context)
        outputs = try [Self.command(context)].compactMap { $0 }
    }

    private static func webhook(_ context: CommandContext) throws(UsageError) -> Webhook? {
        let key = try key(context)
        guard let url = context.invocation[.alertWebhook] else {
            if key != nil { throw context.usageError("--alert-key-file requires --alert-webhook") }
            return nil
        }
        // The message omits the address because it may contain a secret.
        guard HTTPRequest.isAddress(url) else {
            throw context.usageError("--alert-webhook takes an http or https address")
        }
        return Webhook(url: url, key: key, client: try context.makeHTTPClient())
    }

    private static func documentation(_ context: CommandContext) throws(UsageError) -> CheckDocumentation? {
        guard let prefix = context.invocation[.docs] else { return nil }
        guard HTTPRequest.isAddress(prefix) else {
            throw context.usageError("--docs takes an http or https address, not '\(prefix)'")
        }
        return CheckDocumentation(prefix: prefix)
    }

    private static func key(_ context: CommandContext) throws(UsageError) -> [UInt8]? {
        guard let file = context.invocation[.alertKeyFile] else { return nil }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw context.usageError("--alert-key-file: cannot read '\(file)'")
        }
        let text = String(decoding: data, as: UTF8.self)[...].trimmed
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
    /// - Parameter pages: The documentation that the monitor serves; nil if it serves none.
    func openPipeline(in folder: String, pages: CheckDocumentation?) -> AlertPipeline {
        let console = context.console
        let note = { @Sendable (text: String) in console.note(text) }
        let queue = webhook.map { _ in WebhookQueue(markPath: "\(folder)/alerts-webhook.json", note: note) }
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
            outputs: outputs, documentation: documentation ?? pages)
    }
}

extension Setting {
    static let docs = Setting(
        "docs", .text("URL"),
        help: """
            link alerts to the documentation at URL, with the id of the check appended; by default to the page \
            /checks/ID of --listen
            """)
    static let alertWebhook = Setting(
        "alert-webhook", .text("URL"),
        help: """
            send each alert by POST to URL when it is raised and when it is cleared, as the object that --format jsonl \
            prints
            """)
    static let alertKeyFile = Setting(
        "alert-key-file", .path("FILE"),
        help: "sign the requests to --alert-webhook with the key in FILE (HMAC-SHA-256)")
    static let alertCommand = Setting(
        "alert-command", .path("PROGRAM"),
        help: """
            run PROGRAM for each alert that is raised or cleared; its argument is a sentence, and its standard input \
            is the object that --format jsonl prints
            """)
}
