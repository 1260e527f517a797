@testable import TagStore

/// Reads the input as the file of the high-water mark.
///
/// A sequence is read only if the file starts with the encoding of that sequence.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHighWaterMark(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    switch HighWaterMark.Reading(bytes.span) {
    case .absent: precondition(bytes.isEmpty)
    case .damaged: precondition(!bytes.isEmpty)
    case .sequence(let sequence):
        precondition(sequence >= 0 && bytes.starts(with: HighWaterMark.bytes(sequence)))
    }
    return 0
}
