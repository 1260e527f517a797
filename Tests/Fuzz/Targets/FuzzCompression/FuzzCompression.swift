import ByteReading

/// Decompresses the input as zlib, gzip and zstd: no crash, and no more bytes than the limit.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let limit = 1 << 16
    var sum = 0
    for format in [Inflation.Format.zlib, .gzip] {
        var output: [UInt8] = []
        do throws(CompressionError) {
            let consumed = try Inflation.inflate(
                bytes.span, format, maximumByteCount: limit, appendingTo: &output)
            precondition(consumed <= count && output.count <= limit)
        } catch {
            precondition(output.count <= limit + 1)
        }
        sum &+= output.count
    }
    do throws(CompressionError) {
        var decompressor = try ZstdDecompressor()
        do throws(CompressionError) {
            let frame = try decompressor.decompress(frame: bytes.span, maximumByteCount: limit)
            precondition(frame.count <= limit)
            sum &+= frame.count
        } catch {}
        let stream = try decompressor.decompress(stream: bytes.span, maximumByteCount: limit)
        precondition(stream.count <= limit)
        sum &+= stream.count
    } catch {}
    // The result is used, so that a release build does not omit the work.
    return sum == .min ? 1 : 0
}
