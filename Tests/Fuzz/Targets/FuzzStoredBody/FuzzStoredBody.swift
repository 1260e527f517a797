import TagRecord

/// The body of a stored tag: never a crash, and what can be read is written again as bytes that say the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStoredBody(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do throws(StoredBody.DecodingError) {
        let occurrence = try StoredBody.decode(bytes.span)
        let again = StoredBody.encode(occurrence)
        let second = StoredBody.encode(try StoredBody.decode(again.span))
        precondition(second == again)
    } catch {
        let text = "\(error)"
        precondition(!text.isEmpty)
    }
    return 0
}
