import TextForms

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

extension HTTPServerAnswer {
    /// Returns an answer with the error body `{"error":{"code":…,"message":…}}`.
    package static func error(
        _ status: Int, _ code: String, _ message: String, fields: [HTTPServerRequest.Pair] = []
    ) -> HTTPServerAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.write("code", code)
        writer.write("message", message)
        writer.endObject()
        writer.endObject()
        return HTTPServerAnswer(status: status, fields: fields, body: writer.bytes)
    }
}

/// The body of an answer that is sent in pieces, such as events as they happen or data at a limited rate.
///
/// Only the thread of the connection uses it. It is released when the body ends, the client disconnects or the server
/// stops.
///
/// The server closes the connection if the body yields no bytes for `idleSeconds`, so a quiet stream must send
/// keep-alive data.
package protocol AnswerStream: AnyObject {
    /// The size of the body in bytes; nil if unknown, which selects chunked encoding.
    var byteCount: Int? { get }

    /// Returns the next piece: empty if none is available yet, nil at the end of the body.
    ///
    /// It may block for about `limit`. The server then calls it again unless it is stopping.
    func nextPiece(waitingAtMost limit: Duration) -> [UInt8]?
}
