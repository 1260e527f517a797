import TagDelivery
import TagStore
import TextForms

/// `dtvr upload`: sends the buffered tags.
struct UploadCommand: Command {
    static let declaration = CommandDeclaration(
        "upload",
        summary: "upload the buffered tags, then exit",
        description: """
            Sends every waiting tag to the collector, and deletes the tags that the collector accepts. Tags that it \
            permanently refuses become dead letters; while the buffer holds any, the exit status is 5.
            """,
        details: [
            """
            Tags are sent in batches, as NDJSON over HTTP. A batch that fails in transit is retried after \
            increasing delays, with the same idempotency key, so that the collector recognizes it. Without \
            --follow, the command gives up after five seconds of failures, and the tags stay in the buffer.
            """,
            """
            With --follow, the command holds the buffer until it is stopped, and serves it to dtvr-run(1), \
            dtvr-store(1) and players. It creates the buffer if necessary. Without --follow, a folder without a \
            buffer is an error.
            """,
        ],
        settings: [
            .store, .maxAge, .maxBytes, .whenFull, .wait, .collector, .tokenFile, .cacert, .follow,
        ],
        exitStatuses: [.store, .delivery],
        examples: [
            CommandExample(
                "dtvr upload --collector https://collector.example.com/", "send the waiting tags"),
            CommandExample(
                "dtvr upload --follow --collector https://collector.example.com/",
                "send new tags as they arrive, until stopped"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.refuseOperands()
        let delivery = try Delivery(context)
        guard delivery.hasCollector else { throw context.usageError("--collector is required") }
        let access = try StoreAccess(context)
        let isFollowing = context.invocation.isOn(.follow)
        if isFollowing { context.console.limitWaitForNotes() }
        guard isFollowing || access.findsBuffer() else { return .store }
        guard let store = await access.open() else { return access.statusWithoutStore }
        if isFollowing {
            let lostBefore = store.losses().memoryLost
            let socket = BufferSocket.serving(store, in: access.directory, console: context.console)
            let status = await delivery.follow(store)
            socket?.stop()
            let closed = await access.close(.own(store), lostBefore: lostBefore)
            return status == .done ? closed : status
        }
        let status = await delivery.drain(store)
        context.console.print("buffer     \(DecimalText.count(store.totals().inStore, "tag")) waiting")
        await store.close()
        return status
    }
}

extension Setting {
    static let follow = Setting(
        "follow", .toggle,
        help: """
            keep running, send new tags as they arrive, and serve the buffer to other processes
            """)
}
