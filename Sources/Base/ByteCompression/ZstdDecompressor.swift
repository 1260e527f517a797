import CDTVRZstd

/// Brings back what zstd has compressed, one text after another, with one context and a bound on what comes out.
@safe package struct ZstdDecompressor: ~Copyable, @unchecked Sendable {
    // Sendable: the context has no thread of its own, and only its one owner can reach it.

    /// The base-2 logarithm of the largest window that is made for a frame: 8 MiB is what level 19 uses.
    ///
    /// A frame may ask for gigabytes.
    private static let maximumWindowLog: Int32 = 23

    private let context: OpaquePointer

    /// A decompressor.
    package init() throws(CompressionError) {
        guard let context = unsafe ZSTD_createDCtx() else {
            throw .notAvailable(operation: "ZSTD_createDCtx")
        }
        // A refused setting leaves the larger window that zstd has by itself.
        _ = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
        unsafe self.context = context
    }

    deinit {
        // Made by `init`, and this value's alone.
        unsafe ZSTD_freeDCtx(context)
    }

    /// The text of one frame that says its size in its header, and nothing after the frame.
    ///
    /// The size is looked at before any room is made: a frame that does not say it is invalid.
    package mutating func decompress(
        frame: Span<UInt8>, dictionary: ZstdDictionary? = nil, maximumByteCount: Int
    ) throws(CompressionError) -> [UInt8] {
        // zstd reads within the lent buffer.
        let declared = unsafe frame.withUnsafeBytes { source in
            unsafe ZSTD_getFrameContentSize(source.baseAddress, source.count)
        }
        // The two largest numbers stand for "not known" and "not a frame".
        guard declared < UInt64.max - 1 else { throw .invalid }
        guard declared <= UInt64(maximumByteCount) else { throw .tooLarge(limit: maximumByteCount) }
        let count = Int(declared)
        var isComplete = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initializedCount in
            unsafe frame.withUnsafeBytes { source in
                // zstd writes at most `count` bytes, tells how many, and reads within the lent buffer.
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

    /// The text of one frame or several, which need not say their sizes.
    package mutating func decompress(
        stream bytes: Span<UInt8>, maximumByteCount: Int
    ) throws(CompressionError) -> [UInt8] {
        // Forgets what an earlier text left; the settings stay.
        _ = unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
        var output: [UInt8] = []
        var position = 0
        // What zstd still expects; at the start the header of a frame.
        var pending = 1
        while position < bytes.count || pending > 0 {
            let before = (position, output.count)
            let room = min(256 << 10, maximumByteCount - output.count) + 1
            output.append(addingCapacity: room) { space in
                pending = step(bytes, &position, room, &space)
            }
            if ZSTD_isError(pending) != 0 { throw .invalid }
            if output.count > maximumByteCount { throw .tooLarge(limit: maximumByteCount) }
            // Neither a byte read nor one written: the frame ends too soon.
            if (position, output.count) == before { throw .invalid }
        }
        return output
    }

    private mutating func step(
        _ bytes: Span<UInt8>, _ position: inout Int, _ room: Int, _ space: inout OutputSpan<UInt8>
    ) -> Int {
        unsafe space.withUnsafeMutableBufferPointer { target, count in
            unsafe bytes.withUnsafeBytes { source in
                // zstd stays within the sizes that it is told, and moves the two positions.
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
