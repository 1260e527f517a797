@testable import TagStore

/// The file of the high-water mark: a sequence only where it begins with what would be written for it.
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
