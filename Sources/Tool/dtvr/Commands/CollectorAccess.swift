import HTTPTransfer
import TagDelivery

/// The collector that the user named.
struct CollectorAccess {
    /// Its address.
    let url: String
    /// Where batches go.
    let sink: HTTPTagSink

    /// The collector of a call; nil where none is named.
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
