import CDTVRZstd

/// A zstd decompressor that reuses one context for many independent texts and limits the size of the output.
@safe package struct ZstdDecompressor: ~Copyable, @unchecked Sendable {
    // Sendable: the context has no thread affinity, and only its single owner can access it.

    /// The base-2 logarithm of the maximum window size: 8 MiB, which level 19 uses.
    ///
    /// Without a limit, a frame can request gigabytes.
    private static let maximumWindowLog: Int32 = 23

    private let context: OpaquePointer

    /// Creates a decompressor.
    package init() throws(CompressionError) {
        guard let context = unsafe ZSTD_createDCtx() else {
            throw .notAvailable(operation: "ZSTD_createDCtx")
        }
        // If zstd rejects the setting, its larger default limit remains.
        _ = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
        unsafe self.context = context
    }

    deinit {
        // `init` created it, and only this value owns it.
        unsafe ZSTD_freeDCtx(context)
    }

    /// Decompresses a single frame whose header declares its content size, without trailing data.
    ///
    /// The declared size is checked before memory is allocated; a frame without it is invalid.
    package mutating func decompress(
        frame: Span<UInt8>, dictionary: ZstdDictionary? = nil, maximumByteCount: Int
    ) throws(CompressionError) -> [UInt8] {
        // zstd reads within the borrowed buffer.
        let declared = unsafe frame.withUnsafeBytes { source in
            unsafe ZSTD_getFrameContentSize(source.baseAddress, source.count)
        }
        // The two largest values mean "unknown size" and "not a frame".
        guard declared < UInt64.max - 1 else { throw .invalid }
        guard declared <= UInt64(maximumByteCount) else { throw .tooLarge(limit: maximumByteCount) }
        let count = Int(declared)
        var isComplete = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initializedCount in
            unsafe frame.withUnsafeBytes { source in
                // zstd writes at most `count` bytes, returns their number, and reads within the borrowed buffer.
                let code =
                    if let dictionary {
                        unsafe ZSTD_decompress_usingDDict(
                            context, target.baseAddress, count, source.baseAddress, source.count,
                            dictionary.handle)
                    } else {
                        unsafe ZSTD_decompressDCtx(
                            context, target.baseAddress, count, source.baseAddress, source.count)
                    }
                isComplete = ZSTD_isError(code) == 0 && code == count
                initializedCount = isComplete ? count : 0
            }
        }
        guard isComplete else { throw .invalid }
        return bytes
    }

    /// Returns the size that the headers of one or more frames state together; nil if one of them states none.
    ///
    /// The function `decompress(stream:)` refuses a frame with another size.
    package static func statedByteCount(stream bytes: Span<UInt8>) -> Int? {
        var position = 0
        var total: UInt64 = 0
        while position < bytes.count {
            let (stated, length) = unsafe bytes.extracting(position...).withUnsafeBytes { source in
                // zstd reads within the borrowed buffer.
                unsafe (
                    ZSTD_getFrameContentSize(source.baseAddress, source.count),
                    ZSTD_findFrameCompressedSize(source.baseAddress, source.count)
                )
            }
            // The two largest sizes mean "unknown size" and "not a frame".
            guard stated < UInt64.max - 1, ZSTD_isError(length) == 0 else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(stated)
            if overflow { return nil }
            total = sum
            position += length
        }
        return position == 0 ? nil : Int(clamping: total)
    }

    /// Decompresses one or more frames, which need not declare their sizes.
    package mutating func decompress(
        stream bytes: Span<UInt8>, maximumByteCount: Int
    ) throws(CompressionError) -> [UInt8] {
        // Discards the state of an earlier text; the settings stay.
        _ = unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
        var output: [UInt8] = []
        // One more byte than the output shows that it is not larger.
        output.reserveCapacity(min(maximumByteCount, Self.statedByteCount(stream: bytes) ?? 0) + 1)
        var position = 0
        // The number of bytes that zstd still expects; initially, a frame header.
        var pending = 1
        while position < bytes.count || pending > 0 {
            let before = (position, output.count)
            let room = min(256 << 10, maximumByteCount - output.count) + 1
            output.append(addingCapacity: room) { space in
                pending = step(bytes, &position, room, &space)
            }
            if ZSTD_isError(pending) != 0 { throw .invalid }
            if output.count > maximumByteCount { throw .tooLarge(limit: maximumByteCount) }
            // No progress: the frame is truncated.
            if (position, output.count) == before { throw .invalid }
        }
        return output
    }

    private mutating func step(
        _ bytes: Span<UInt8>, _ position: inout Int, _ room: Int, _ space: inout OutputSpan<UInt8>
    ) -> Int {
        unsafe space.withUnsafeMutableBufferPointer { target, count in
            unsafe bytes.withUnsafeBytes { source in
                // zstd stays within the given sizes and advances the two positions.
                var input = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: position)
                var output = unsafe ZSTD_outBuffer(
                    dst: target.baseAddress.map { unsafe $0 + count }, size: room, pos: 0)
                let code = unsafe ZSTD_decompressStream(context, &output, &input)
                position = unsafe input.pos
                count += unsafe output.pos
                return code
            }
        }
    }
}

/// A dictionary prepared for decompression (RFC 8878, section 5).
@safe package final class ZstdDictionary: @unchecked Sendable {
    // Sendable: immutable after `init`; zstd only reads it.
    let handle: OpaquePointer

    /// Creates a dictionary from bytes, which may also be arbitrary content; returns nil if zstd rejects it.
    package init?(_ bytes: [UInt8]) {
        // zstd copies the bytes before it returns.
        let made = unsafe bytes.withUnsafeBytes { bytes in
            unsafe ZSTD_createDDict(bytes.baseAddress, bytes.count)
        }
        guard let made = unsafe made else { return nil }
        unsafe handle = made
    }

    deinit {
        // `init` created it, and it is used only during this object's lifetime.
        unsafe ZSTD_freeDDict(handle)
    }
}
