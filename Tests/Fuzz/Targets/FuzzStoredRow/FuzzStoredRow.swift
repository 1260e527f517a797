@testable import TagStore

/// The stored body of a row, in each encoding: never a crash, and never more than a body may have.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStoredRow(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do throws(StoreError) {
        var decoder = try BodyDecoder(dictionaries: BodyDictionary.shipped)
        let versions = BodyDictionary.shipped.map(\.version)
        for encoding in [BodyEncoding.zstd] + versions + [-1, 99, .max] {
            let body = decoder.body(of: bytes.span, encoding: encoding)
            precondition(body?.count ?? 0 <= NewTag.maximumBodyByteCount)
            precondition(body == nil || encoding == BodyEncoding.zstd || versions.contains(encoding))
        }
        precondition(decoder.body(of: bytes.span, encoding: BodyEncoding.plain) == bytes)
    } catch {
        fatalError("\(error)")
    }
    return 0
}
