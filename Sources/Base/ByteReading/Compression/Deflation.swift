import CDTVRZlib

/// Compression with deflate.
package enum Deflation {
    /// The container around the compressed data, as for `Inflation`.
    package typealias Format = Inflation.Format

    /// Returns the compressed bytes; `level` is from 0 (stored) to 9 (slowest).
    package static func deflate(
        _ bytes: Span<UInt8>, _ format: Format, level: Int32 = 6
    ) throws(CompressionError) -> [UInt8] {
        var stream = unsafe z_stream()
        guard bytes.count <= Int(UInt32.max) else { throw .tooLarge(limit: Int(UInt32.max)) }
        let windowBits = format == .zlib ? MAX_WBITS : 16 + MAX_WBITS
        guard unsafe dtvr_deflate_init(&stream, level, windowBits) == Z_OK else {
            throw .notAvailable(operation: "deflateInit2")
        }
        // Initialized above and used only in this call.
        defer { _ = unsafe deflateEnd(&stream) }
        let capacity = Int(unsafe deflateBound(&stream, UInt(bytes.count)))
        var status = Z_OK
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
            unsafe bytes.withUnsafeBufferPointer { source in
                // zlib stays within the two counts and writes only to the target.
                unsafe stream.next_in = unsafe UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(clamping: target.count)
                status = unsafe CDTVRZlib.deflate(&stream, Z_FINISH)
                count = unsafe Int(clamping: target.count) - Int(stream.avail_out)
            }
        }
        guard status == Z_STREAM_END else { throw .notAvailable(operation: "deflate") }
        return compressed
    }
}
