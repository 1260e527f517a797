import HTTPTransfer
import TagDelivery

/// The collector that the user named.
struct CollectorAccess {
    /// The collector's address.
    let url: String
    /// The sink that sends batches to the collector.
    let sink: HTTPTagSink

    /// Creates the access from `--collector`, or returns nil if the option is missing.
    init?(_ context: CommandContext) throws(UsageError) {
        guard let url = context.invocation[.collector] else { return nil }
        guard HTTPRequest.isAddress(url) else {
            throw context.usageError("--collector takes an http or https address, not '\(url)'")
        }
        self.url = url
        sink = HTTPTagSink(
            url: url, client: try context.makeHTTPClient(), bearerToken: try context.bearerToken())
    }
}
