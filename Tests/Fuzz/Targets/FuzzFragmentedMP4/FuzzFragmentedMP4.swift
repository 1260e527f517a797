import ChunkedDemuxing
import ExtremeMutation

/// Demuxes the input as two segments of fragmented MP4, once whole and once in chunks; before each stands a
/// segment type box.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer lends `count` bytes for the length of the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    // The result must be used, or a release build would leave the work out.
    return demuxWholeAndInChunks(input, prefix: prefix) == .min ? 1 : 0
}

/// A segment type box.
private let prefix: [UInt8] = [0, 0, 0, 12] + Array("stypmsdh".utf8)
