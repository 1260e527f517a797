import ExtremeMutation

@testable import TagStore

/// Decodes the input as a status file with the state of the delivery: no crash.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStoreStatus(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let status = StoreStatus(encoded: bytes) else { return 0 }
    precondition(status.deliveryState.count <= bytes.count)
    _ = status.byteCount
    _ = status.totals.isBalanced
    _ = status.totals.offered
    return 0
}
