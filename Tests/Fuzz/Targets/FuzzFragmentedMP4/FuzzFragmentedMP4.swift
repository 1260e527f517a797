import ChunkedDemuxing
import ExtremeMutation

/// Demuxes the input as two segments of fragmented MP4, whole and in chunks.
///
/// A segment type box precedes each segment.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    // The result is used, so that a release build does not omit the work.
    return demuxWholeAndInChunks(input, prefix: prefix) == .min ? 1 : 0
}

/// A segment type box.
private let prefix: [UInt8] = [0, 0, 0, 12] + Array("stypmsdh".utf8)
