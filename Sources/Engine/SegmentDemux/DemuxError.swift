/// An error that stops the demuxing of a segment.
///
/// Damaged segment bytes never cause an error: they are reported in `CarriageFacts`, and demuxing continues. Only the C
/// library that demuxes transport streams can fail.
public enum DemuxError: Error, Sendable, Hashable {
    /// libavformat could not be opened.
    ///
    /// `code` is its error code (an `AVERROR`), `operation` the call that failed, and `offset` the number of segment
    /// bytes read before the failure.
    case libavformat(code: Int32, operation: Operation, offset: Int)

    /// The libavformat calls that can fail for reasons other than the segment's bytes.
    public enum Operation: String, Sendable, Hashable {
        /// Allocating a context, its buffer or a packet.
        case allocation
        /// Looking up the `mpegts` demuxer in the library.
        case findDemuxer
        /// Opening the demuxer on the bytes.
        case openInput
    }

    /// The number of segment bytes read before the failure.
    public var offset: Int {
        switch self {
        case .libavformat(_, _, let offset): offset
        }
    }
}
