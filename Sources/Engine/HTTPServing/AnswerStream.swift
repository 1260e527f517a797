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
