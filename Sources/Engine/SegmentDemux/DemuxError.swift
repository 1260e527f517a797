/// What ends the demuxing of a segment.
///
/// Damage in a segment's bytes is never an error: it is a value in `CarriageFacts`, and the stream goes on.
/// What can fail is the C library that demuxes transport streams.
public enum DemuxError: Error, Sendable, Hashable {
    /// libavformat could not be opened: its code (an `AVERROR`), the call that failed, and how many bytes of the
    /// segment had been read.
    case libavformat(code: Int32, operation: Operation, offset: Int)

    /// The calls of libavformat that can fail for a reason other than the segment's bytes.
    public enum Operation: String, Sendable, Hashable {
        /// The memory for a context, its buffer or a packet.
        case allocation
        /// Finding the demuxer `mpegts` in the library.
        case findDemuxer
        /// Opening the demuxer on the bytes.
        case openInput
    }

    /// How many bytes of the segment had been read.
    public var offset: Int {
        switch self {
        case .libavformat(_, _, let offset): offset
        }
    }
}
