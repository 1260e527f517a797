import CDTVRZlib

/// Decompression of deflate data with a limit on the output.
package enum Inflation {
    /// The container around the compressed data.
    package enum Format: Sendable, Hashable {
        /// A two-byte header and an Adler-32 checksum (RFC 1950).
        case zlib
        /// A single gzip member (RFC 1952).
        case gzip

        fileprivate var windowBits: Int32 { self == .zlib ? MAX_WBITS : 16 + MAX_WBITS }
    }

    /// Returns the size that the end of a gzip member states (RFC 1952, 2.3.1); nil if it is too short to have one.
    ///
    /// The size is modulo 2^32. `inflate` refuses a member with another size.
    package static func statedByteCount(gzip bytes: Span<UInt8>) -> Int? {
        if bytes.count < 18 { return nil }
        return (1...4).reduce(0) { size, index in size << 8 | Int(bytes[bytes.count - index]) }
    }

    /// Appends the decompressed bytes to `bytes` and returns the number of compressed bytes consumed.
    ///
    /// If it throws, some bytes may have been appended, at most one more than the maximum.
    ///
    /// - Parameters:
    ///   - expected: the expected size of the output, which only determines the initial capacity.
    ///   - maximumByteCount: the maximum size of the output; a larger output is an error.
    @discardableResult
    package static func inflate(
        _ compressed: Span<UInt8>, _ format: Format, expecting expected: Int? = nil, maximumByteCount: Int,
        appendingTo bytes: inout [UInt8]
    ) throws(CompressionError) -> Int {
        var stream = unsafe z_stream()
        guard unsafe dtvr_inflate_init(&stream, format.windowBits) == Z_OK else {
            throw .notAvailable(operation: "inflateInit2")
        }
        // Initialized above and used only in this call.
        defer { _ = unsafe inflateEnd(&stream) }
        let first = min(maximumByteCount, max(256, min(expected ?? 0, 64 * compressed.count + 256)))
        bytes.reserveCapacity(bytes.count + first + 1)
        var consumed = 0
        var produced = 0
        while true {
            // The additional byte distinguishes an output that is too large from one of exactly the maximum size.
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
            // Z_BUF_ERROR: there was no progress, so the data is truncated.
            guard status == Z_OK, taken > 0 || written > 0 else { throw .invalid }
        }
    }

    /// Calls zlib's `inflate` once, from `input` into `room` bytes of `space`.
    fileprivate static func step(
        _ stream: inout z_stream, _ input: Span<UInt8>, _ room: Int, _ space: inout OutputSpan<UInt8>,
        _ taken: inout Int, _ written: inout Int
    ) -> Int32 {
        // zlib's counts have 32 bits; the next call handles the rest.
        let given = min(input.count, Int(UInt32.max))
        let offered = min(room, Int(UInt32.max))
        return unsafe space.withUnsafeMutableBufferPointer { target, count in
            unsafe input.withUnsafeBufferPointer { source in
                // Both buffers outlive the call, and zlib stays within the given counts; `space` has room for the
                // offered bytes.
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

/// Decompression of gzip data that arrives in pieces, with a limit on the output.
///
/// The data consists of one or more members (RFC 1952, 2.2), which zeros may follow.
@safe package struct GzipStream: ~Copyable {
    /// The number of decompressed bytes that are handed over together.
    private static let pieceByteCount = 256 << 10

    // zlib compares the address of the stream with that of its initialization.
    private let stream: UnsafeMutablePointer<z_stream>
    private let maximumByteCount: Int
    private var producedByteCount = 0
    /// Whether the next byte begins a member, or follows the last one.
    private var isBetweenMembers = true
    private var hasMember = false

    /// Creates the start of a stream.
    package init(maximumByteCount: Int) throws(CompressionError) {
        self.maximumByteCount = maximumByteCount
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe dtvr_inflate_init(stream, 16 + MAX_WBITS) == Z_OK else {
            // Allocated above and not shared.
            unsafe stream.deallocate()
            throw .notAvailable(operation: "inflateInit2")
        }
        unsafe self.stream = stream
    }

    deinit {
        // `init` created it, and only this value owns it.
        _ = unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Whether the bytes so far are complete members.
    package var isComplete: Bool { isBetweenMembers && hasMember }

    /// Decompresses the next bytes, and calls `output` with each piece of the text until it returns false.
    package mutating func decompress(
        _ bytes: Span<UInt8>, _ output: (ArraySlice<UInt8>) -> Bool
    ) throws(CompressionError) {
        var consumed = 0
        var piece: [UInt8] = []
        while true {
            if isBetweenMembers, hasMember {
                while consumed < bytes.count, bytes[consumed] == 0 { consumed += 1 }
            }
            if isBetweenMembers, consumed == bytes.count { return }
            var status = Z_OK
            var taken = 0
            var written = 0
            piece.removeAll(keepingCapacity: true)
            piece.append(addingCapacity: Self.pieceByteCount) { space in
                // The stream is owned, and used only in this call.
                status = unsafe Inflation.step(
                    &stream.pointee, bytes.extracting(consumed..<bytes.count), Self.pieceByteCount, &space,
                    &taken, &written)
            }
            consumed += taken
            producedByteCount += written
            if producedByteCount > maximumByteCount { throw .tooLarge(limit: maximumByteCount) }
            // Z_BUF_ERROR: there was no progress, because a further piece of the data is required.
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR && consumed == bytes.count
            else { throw .invalid }
            isBetweenMembers = status == Z_STREAM_END
            if isBetweenMembers {
                hasMember = true
                _ = unsafe inflateReset(stream)
            }
            if written > 0, !output(piece[...]) { return }
            // zlib keeps text that does not fit in the piece.
            if !isBetweenMembers, written < Self.pieceByteCount, consumed == bytes.count { return }
        }
    }
}

/// A failure to compress or decompress bytes.
package enum CompressionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The compressed bytes are truncated or not in the expected format.
    case invalid
    /// The output exceeds the limit.
    case tooLarge(limit: Int)
    /// The library is out of memory, or rejects a setting or a dictionary.
    case notAvailable(operation: String)

    /// The error as one line of text for the user.
    package var description: String {
        switch self {
        case .invalid: "the compressed data is invalid"
        case .tooLarge(let limit): "the data is larger than \(limit) bytes"
        case .notAvailable(let operation): "\(operation) failed"
        }
    }
}
