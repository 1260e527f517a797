import ExtremeMutation
import TagRecord

/// A stored body, of a tag or of a summary: never a crash, and what can be read is written again as bytes that say the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStoredBody(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do throws(StoredBody.DecodingError) {
        let again = try StoredRecord.decode(bytes.span).storedBody
        let second = try StoredRecord.decode(again.span).storedBody
        precondition(second == again)
    } catch {
        let text = "\(error)"
        precondition(!text.isEmpty)
    }
    return 0
}
