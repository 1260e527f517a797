import FoundationEssentials
import HTTPTransfer
import HostSystem
import StreamMonitor
import TextForms

/// The webhook and the command that the user named for alerts.
struct AlertAccess {
    private let context: CommandContext
    private let url: String?
    private let key: [UInt8]?
    private let client: HTTPClient?

    /// The program to run for alerts, or nil if the user named none.
    let command: AlertCommand?

    /// Reads and validates the alert options.
    init(_ context: CommandContext) throws(UsageError) {
        self.context = context
        url = context.invocation[.alertWebhook]
        key = try Self.key(context)
        if let url {
            // The message omits the address because it may contain a secret.
            guard HTTPRequest.isAddress(url) else {
                throw context.usageError("--alert-webhook takes an http or https address")
            }
            client = try context.makeHTTPClient()
        } else {
            guard key == nil else {
                throw context.usageError("--alert-key-file requires --alert-webhook")
            }
            client = nil
        }
        command = try Self.command(context)
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

    private static func command(_ context: CommandContext) throws(UsageError) -> AlertCommand? {
        guard let path = context.invocation[.alertCommand] else { return nil }
        guard FileManager.default.isExecutableFile(atPath: path), !FileSystem.isDirectory(path) else {
            throw context.usageError("--alert-command: '\(path)' is not an executable file")
        }
        let console = context.console
        return AlertCommand(path: path, environment: context.environment) { console.note($0) }
    }

    /// Returns the webhook queue, stored in the buffer's folder, or nil without a webhook.
    func webhookQueue(in folder: String) -> WebhookQueue? {
        guard url != nil else { return nil }
        let console = context.console
        return WebhookQueue(markPath: "\(folder)/alerts-webhook.json") { console.note($0) }
    }

    /// Sends the queued alerts until the task is cancelled.
    func send(_ queue: WebhookQueue?) async {
        guard let url, let client, let queue else { return }
        let console = context.console
        await AlertWebhook(url: url, key: key, client: client, queue: queue) { console.note($0) }.run()
    }
}

extension Setting {
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
