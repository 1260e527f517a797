/// The body of an answer that is sent piece by piece: events as they happen, or bytes at a pace.
///
/// Only the thread of its connection uses it. It is let go when its body has ended, the client has gone or the server
/// stops.
///
/// A body of which nothing comes for the server's `idleSeconds` is cut off: a stream that may have nothing to say for so
/// long says something all the same.
package protocol AnswerStream: AnyObject {
    /// How many bytes the body has; nil where that is not known, and the body is sent in chunks.
    var byteCount: Int? { get }

    /// The next piece; empty where there is none yet, nil where the body has ended.
    ///
    /// It may block for about `limit`, and is then called again unless the server stops.
    func nextPiece(waitingAtMost limit: Duration) -> [UInt8]?
}
