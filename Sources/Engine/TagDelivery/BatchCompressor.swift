import CDTVRZlib
import CDTVRZstd

/// The owner of a zstd context, which is used again for every batch.
@safe struct BatchCompressor: ~Copyable, @unchecked Sendable {
    // Sendable: the context has no thread of its own; its owner sees to it that one thread at a time uses it.

    /// What zstd is set to: of all that was tried the shortest batches in the least time.
    ///
    /// A line is mostly random characters, and what it repeats stands in the line before: a table of matches that
    /// forgets anything older stays in the processor's nearest memory, and finds the distances that cost the
    /// fewest bits.
    private static let parameters = [
        (ZSTD_c_compressionLevel, 1 as Int32), (ZSTD_c_hashLog, 10), (ZSTD_c_minMatch, 6),
    ]

    private let context: OpaquePointer?

    init() {
        // Nil where there is no memory: compression then fails, and the body goes as it is.
        unsafe context = ZSTD_createCCtx()
        for (parameter, value) in Self.parameters {
            // A refused setting, or a context that is not there, leaves the usual one.
            if let context = unsafe context { _ = unsafe ZSTD_CCtx_setParameter(context, parameter, value) }
        }
    }

    deinit {
        // Nothing else has the pointer; nil is allowed.
        _ = unsafe ZSTD_freeCCtx(context)
    }

    /// The bytes in that encoding; nil where the library could not do it.
    mutating func compress(_ bytes: [UInt8], as encoding: ContentEncoding) -> [UInt8]? {
        switch encoding {
        case .identity: bytes
        case .zstd: zstd(bytes)
        case .gzip: Self.gzip(bytes)
        }
    }

    private mutating func zstd(_ bytes: [UInt8]) -> [UInt8]? {
        guard let context = unsafe context else { return nil }
        let capacity = ZSTD_compressBound(bytes.count)
        return unsafe Self.array(capacity: capacity) { target in
            unsafe bytes.withUnsafeBytes { source in
                // zstd writes at most the capacity and reads the count.
                let count = unsafe ZSTD_compress2(
                    context, target.baseAddress, target.count, source.baseAddress, source.count)
                return ZSTD_isError(count) == 0 ? count : nil
            }
        }
    }

    private static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        // 16 asks for the gzip form.
        guard unsafe dtvr_deflate_init(&stream, 6, 16 + MAX_WBITS) == Z_OK else { return nil }
        // Initialised above, and used in this call only.
        defer { _ = unsafe deflateEnd(&stream) }
        var input = bytes
        // Room for the gzip header and trailer as well.
        let capacity = Int(unsafe deflateBound(&stream, UInt(bytes.count))) + 64
        return unsafe array(capacity: capacity) { target in
            unsafe input.withUnsafeMutableBufferPointer { source in
                // zlib stays within the two counts.
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = UInt32(clamping: source.count)
                unsafe stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
                unsafe stream.avail_out = UInt32(clamping: target.count)
                guard unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
                return unsafe target.count - Int(stream.avail_out)
            }
        }
    }

    private static func array(capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int?) -> [UInt8]? {
        var isDone = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            // `body` says how many bytes from the start it wrote; none where it failed.
            let written = unsafe body(UnsafeMutableRawBufferPointer(buffer))
            isDone = written != nil
            count = written ?? 0
        }
        return isDone ? bytes : nil
    }
}
