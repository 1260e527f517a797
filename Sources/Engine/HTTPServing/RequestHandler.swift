/// One request while it is answered: made when its header has arrived, and used by the thread of its connection only.
///
/// It may block: every connection has a thread of its own.
package protocol RequestHandler: AnyObject {
    /// Takes the next bytes of the body.
    func receive(_ bytes: Span<UInt8>) -> RequestStep
    /// Answers the request, whose body is complete.
    func finish() -> RequestStep
}

/// What the server does next with a request.
package enum RequestStep {
    /// Receives more.
    case proceed
    /// Closes the connection without an answer.
    case drop
    /// Answers.
    case answer(HTTPServerAnswer)
    /// Answers with a body that is sent piece by piece, in place of the answer's own.
    case stream(HTTPServerAnswer, any AnswerStream)
}
