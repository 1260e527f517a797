/// The answer to a request.
package struct HTTPServerAnswer: Sendable, Hashable {
    /// The status code, such as 200.
    package var status: Int
    /// The header fields; the server adds `Content-Length`, `Date` and `Connection`.
    package var fields: [HTTPServerRequest.Pair]
    /// The body.
    package var body: [UInt8]

    /// Creates an answer with a `Content-Type` field.
    package init(
        status: Int, type: String = "application/json", fields: [HTTPServerRequest.Pair] = [], body: [UInt8]
    ) {
        self.status = status
        self.fields = [.init(name: "Content-Type", value: type)] + fields
        self.body = body
    }
}
