@testable import TagStore

/// Decodes the input as the stored body of a row, in each encoding: no crash, and no body above the maximum size.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStoredRow(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do throws(StoreError) {
        var decoder = try BodyDecoder(dictionaries: BodyDictionary.shipped)
        let versions = BodyDictionary.shipped.map(\.version)
        for encoding in [BodyEncoding.zstd] + versions + [-1, 99, .max] {
            let body = decoder.body(of: bytes.span, encoding: encoding)
            let isKnown = encoding == BodyEncoding.zstd || versions.contains(encoding)
            precondition(body == nil || isKnown)
            precondition((body?.count ?? 0) <= NewTag.maximumBodyByteCount)
        }
        let plain = decoder.body(of: bytes.span, encoding: BodyEncoding.plain)
        precondition(plain == bytes)
    } catch {
        fatalError("\(error)")
    }
    return 0
}
