import ChunkedDemuxing
import ExtremeMutation

/// Demuxes the input as two segments of packed audio, whole and in chunks.
///
/// The tag that states a segment's time precedes each segment.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    // The result is used, so that a release build does not omit the work.
    return demuxWholeAndInChunks(input, prefix: prefix) == .min ? 1 : 0
}

/// An ID3v2.4 tag with a PRIV frame: the timestamp 900000 (RFC 8216, section 3.4).
private let prefix: [UInt8] =
    Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 63] + Array("PRIV".utf8) + [0, 0, 0, 53, 0, 0]
    + Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0] + [0, 0, 0, 0, 0, 0x0D, 0xBB, 0xA0]
