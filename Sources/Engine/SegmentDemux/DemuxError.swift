/// What ends the demuxing of a segment.
///
/// Damage in a segment's bytes is never an error: it is a value in `CarriageFacts`, and the stream goes on.
/// What is left are the refusals of the C library under the transport stream demuxer.
package enum DemuxError: Error, Sendable, Hashable {
    /// libavformat could not be set up: the code is its own (an `AVERROR`), the operation the call that failed.
    ///
    /// `offset` is how many bytes of the segment had been taken in.
    case libavformat(code: Int32, operation: Operation, offset: Int)

    /// The calls of libavformat that can fail for a reason other than the segment's bytes.
    package enum Operation: String, Sendable, Hashable {
        /// The memory for a context, its buffer or a packet.
        case allocation
        /// Finding the demuxer `mpegts` in the library.
        case findDemuxer
        /// Opening the demuxer on the bytes.
        case openInput
    }

    /// How many bytes of the segment had been taken in.
    package var offset: Int {
        switch self {
        case .libavformat(_, _, let offset): offset
        }
    }
}
