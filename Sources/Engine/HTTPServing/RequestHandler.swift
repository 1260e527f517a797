/// The handler of one request, created when its header has arrived and used only on its connection's thread.
///
/// It may block, because each connection has a separate thread.
package protocol RequestHandler: AnyObject {
    /// Receives the next bytes of the body.
    func receive(_ bytes: Span<UInt8>) -> RequestStep
    /// Answers the request, whose body is complete.
    func finish() -> RequestStep
}

/// The server's next step for a request.
package enum RequestStep {
    /// Continue to receive.
    case proceed
    /// Close the connection without an answer.
    case drop
    /// Send the answer.
    case answer(HTTPServerAnswer)
    /// Send the answer with a streamed body that replaces `body`.
    case stream(HTTPServerAnswer, any AnswerStream)
}
