import TagStore

/// `dtvr upload`: sends what is buffered.
struct UploadCommand {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.refuseOperands()
        if context.invocation[.collector] == nil { throw context.usageError("--collector is needed") }
        let access = try StoreAccess(context)
        guard let store = await access.open() else { return .store }
        let bar = ProgressBar("Uploading", on: context.console)
        var status = ExitStatus.done
        if let delivery = try Delivery(context, from: store, bar: bar) {
            let follows = context.invocation.isOn(.follow)
            status = follows ? await delivery.follow() : await delivery.drain()
        }
        bar.end()
        context.console.print("buffer     \(store.totals().inStore) tags waiting")
        let alert = await DeadLetterAlert(context.console).status(of: store)
        if status == .done { status = alert }
        await store.close()
        return status
    }
}
