import HTTPTransfer
import TagDelivery
import TagStore

/// Sends new tags from the buffer until interrupted.
///
/// It opens the buffer only to take or acknowledge a batch, so other commands can use the buffer in between.
struct FollowingDelivery {
    private let context: CommandContext
    private let access: StoreAccess
    private let collector: CollectorAccess

    init(_ context: CommandContext, from access: StoreAccess, to collector: CollectorAccess) {
        self.context = context
        self.access = access
        self.collector = collector
    }

    func run() async -> ExitStatus {
        Interruption.shared.becomeService()
        let (access, console) = (access, context.console)
        let uploader = FollowingUploader(
            directory: access.directory, sink: collector.sink,
            open: { () throws(StoreError) in try await access.openNow() },
            makeBuilder: { .recordedTags(of: $0, version: DTVR.version) },
            report: DeadLetterAlert(console).watch())
        let uploading = Task { try await uploader.run() }
        Interruption.shared.onRequest { uploading.cancel() }
        console.note("sending to \(HTTPRequest.withoutSecrets(collector.url)) until stopped")
        do {
            try await uploading.value
        } catch {
            console.note("\(error)")
            return .store
        }
        console.print(DeliverySummary(uploader.progress, collector: collector.url).text)
        return .done
    }
}
