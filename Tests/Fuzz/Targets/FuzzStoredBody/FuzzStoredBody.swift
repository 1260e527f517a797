import ExtremeMutation
import TagRecord

/// Decodes the input as the stored body of a tag or of a summary: no crash.
///
/// A body that can be decoded is encoded again as bytes with the same meaning.
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
