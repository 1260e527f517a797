import CDTVRZstd

/// A zstd compressor that reuses one context for many independent texts.
@safe package struct ZstdCompressor: ~Copyable, @unchecked Sendable {
    // Sendable: the context has no thread affinity, and only its single owner can access it.

    /// The compression settings.
    package struct Settings: Sendable, Hashable {
        /// The level, from -131,072 (fastest) to 22.
        package var level: Int32 = 3
        /// The base-2 logarithm of the size of the match table; nil for zstd's default.
        package var hashLog: Int32?
        /// The minimum match length; nil for zstd's default.
        package var minimumMatch: Int32?
        /// Whether each frame stores the ID of its dictionary, in four bytes.
        package var namesDictionary = true

        /// Creates settings with defaults except for the level.
        package init(level: Int32 = 3) { self.level = level }
    }

    private let context: OpaquePointer
    private let dictionary: OpaquePointer?

    /// Creates a compressor, with an optional dictionary for all texts (RFC 8878, section 5).
    package init(_ settings: Settings, dictionary bytes: [UInt8]? = nil) throws(CompressionError) {
        guard let context = unsafe ZSTD_createCCtx() else {
            throw .notAvailable(operation: "ZSTD_createCCtx")
        }
        // zstd copies the bytes before it returns. A dictionary overrides the level.
        let prepared = unsafe bytes?.withUnsafeBytes { bytes in
            unsafe ZSTD_createCDict(bytes.baseAddress, bytes.count, settings.level)
        }
        let parameters = [
            (ZSTD_c_compressionLevel, settings.level), (ZSTD_c_hashLog, settings.hashLog),
            (ZSTD_c_minMatch, settings.minimumMatch), (ZSTD_c_dictIDFlag, settings.namesDictionary ? 1 : 0),
        ]
        var isRefused = false
        for case (let parameter, let value?) in parameters {
            if ZSTD_isError(unsafe ZSTD_CCtx_setParameter(context, parameter, value)) != 0 {
                isRefused = true
            }
        }
        // A null dictionary means none.
        if ZSTD_isError(unsafe ZSTD_CCtx_refCDict(context, prepared)) != 0 { isRefused = true }
        guard !isRefused, unsafe (bytes == nil) == (prepared == nil) else {
            // Created above and not shared.
            unsafe ZSTD_freeCCtx(context)
            unsafe ZSTD_freeCDict(prepared)
            throw .notAvailable(operation: "ZSTD_CCtx_setParameter")
        }
        unsafe self.context = context
        unsafe self.dictionary = prepared
    }

    deinit {
        // `init` created both, and only this value owns them; zstd accepts null.
        unsafe ZSTD_freeCCtx(context)
        unsafe ZSTD_freeCDict(dictionary)
    }

    /// Returns the maximum compressed size of `byteCount` bytes.
    package static func bound(_ byteCount: Int) -> Int { ZSTD_compressBound(byteCount) }

    /// Appends the compressed bytes if they fit in `room`; otherwise returns false and appends nothing.
    package mutating func compress(_ bytes: Span<UInt8>, into room: inout OutputSpan<UInt8>) -> Bool {
        unsafe room.withUnsafeMutableBufferPointer { target, count in
            unsafe bytes.withUnsafeBytes { source in
                // zstd writes only to the free part of the room; the source does not overlap it.
                let code = unsafe ZSTD_compress2(
                    context, target.baseAddress.map { unsafe $0 + count }, target.count - count,
                    source.baseAddress, source.count)
                guard ZSTD_isError(code) == 0 else { return false }
                count += code
                return true
            }
        }
    }

    /// Returns the compressed bytes.
    package mutating func compress(_ bytes: Span<UInt8>) throws(CompressionError) -> [UInt8] {
        let bound = Self.bound(bytes.count)
        var isDone = false
        var compressed: [UInt8] = []
        compressed.append(addingCapacity: bound) { room in isDone = compress(bytes, into: &room) }
        guard isDone else { throw .notAvailable(operation: "ZSTD_compress2") }
        return compressed
    }
}
