import CDTVRZlib

/// Brings back what deflate has compressed, with a bound on what comes out.
package enum Inflation {
    /// What is around the compressed data.
    package enum Format: Sendable, Hashable {
        /// A header of two bytes and an Adler-32 (RFC 1950).
        case zlib
        /// One member of gzip (RFC 1952).
        case gzip

        fileprivate var windowBits: Int32 { self == .zlib ? MAX_WBITS : 16 + MAX_WBITS }
    }

    /// Appends the bytes that `compressed` holds to `bytes`, and says how much of it they were made from.
    ///
    /// After an error some of the bytes have been appended, at most one more than may be.
    ///
    /// - Parameters:
    ///   - expected: how many are expected; it only decides how much room is made first.
    ///   - maximumByteCount: more than so many are an error.
    @discardableResult
    package static func inflate(
        _ compressed: Span<UInt8>, _ format: Format, expecting expected: Int? = nil, maximumByteCount: Int,
        appendingTo bytes: inout [UInt8]
    ) throws(CompressionError) -> Int {
        var stream = unsafe z_stream()
        guard unsafe dtvr_inflate_init(&stream, format.windowBits) == Z_OK else {
            throw .notAvailable(operation: "inflateInit2")
        }
        // Initialized above, and used in this call only.
        defer { _ = unsafe inflateEnd(&stream) }
        let first = min(maximumByteCount, max(256, min(expected ?? 0, 64 * compressed.count + 256)))
        bytes.reserveCapacity(bytes.count + first + 1)
        var consumed = 0
        var produced = 0
        while true {
            // One byte more than may come out tells what is too large from what just fits.
            let room = min(min(max(produced, first), 1 << 20), maximumByteCount - produced) + 1
            var status = Z_OK
            var taken = 0
            var written = 0
            bytes.append(addingCapacity: room) { space in
                status = unsafe step(
                    &stream, compressed.extracting(consumed..<compressed.count), room, &space, &taken,
                    &written)
            }
            consumed += taken
            produced += written
            if produced > maximumByteCount { throw .tooLarge(limit: maximumByteCount) }
            if status == Z_STREAM_END { return consumed }
            // Z_BUF_ERROR: neither input nor output was used, so the data ends too early.
            guard status == Z_OK, taken > 0 || written > 0 else { throw .invalid }
        }
    }

    /// One call of zlib's `inflate` from `input` into `room` bytes of `space`.
    private static func step(
        _ stream: inout z_stream, _ input: Span<UInt8>, _ room: Int, _ space: inout OutputSpan<UInt8>,
        _ taken: inout Int, _ written: inout Int
    ) -> Int32 {
        // What zlib counts in 32 bits; the rest is for the next call.
        let given = min(input.count, Int(UInt32.max))
        let offered = min(room, Int(UInt32.max))
        return unsafe space.withUnsafeMutableBufferPointer { target, count in
            unsafe input.withUnsafeBufferPointer { source in
                // Both buffers outlive the call, and zlib stays inside the counts that it is given; `space` has room
                // for as many bytes as are offered.
                unsafe stream.next_in = unsafe UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.avail_in = UInt32(given)
                unsafe stream.next_out = target.baseAddress.map { unsafe $0 + count }
                unsafe stream.avail_out = UInt32(offered)
                let status = unsafe CDTVRZlib.inflate(&stream, Z_NO_FLUSH)
                taken = unsafe given - Int(stream.avail_in)
                written = unsafe offered - Int(stream.avail_out)
                count += written
                return status
            }
        }
    }
}
