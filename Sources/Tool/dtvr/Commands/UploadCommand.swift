import TagStore

/// `dtvr upload`: sends the buffered tags.
struct UploadCommand {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.refuseOperands()
        guard let collector = try CollectorAccess(context) else {
            throw context.usageError("--collector is required")
        }
        let access = try StoreAccess(context)
        guard let store = await access.open() else { return access.statusWithoutStore }
        if context.invocation.isOn(.follow) {
            // This only verifies that the buffer opens, and reports existing dead letters.
            _ = await DeadLetterAlert(context.console).status(of: store)
            await store.close()
            return await FollowingDelivery(context, from: access, to: collector).run()
        }
        let bar = ProgressBar("Uploading", on: context.console)
        var status = await Delivery(context, from: store, to: collector, bar: bar).drain()
        bar.end()
        context.console.print("buffer     \(store.totals().inStore) tags waiting")
        let alert = await DeadLetterAlert(context.console).status(of: store)
        if status == .done { status = alert }
        await store.close()
        return status
    }
}
