import CDTVRZstd

/// Compresses bytes with zstd, one text after another, with one context.
@safe package struct ZstdCompressor: ~Copyable, @unchecked Sendable {
    // Sendable: the context has no thread of its own, and only its one owner can reach it.

    /// What zstd is told beside the level.
    package struct Settings: Sendable, Hashable {
        /// From -131,072, the fastest, to 22.
        package var level: Int32 = 3
        /// The base-2 logarithm of the size of the table of matches; zstd's own choice where nil.
        package var hashLog: Int32?
        /// The shortest match that is looked for; zstd's own choice where nil.
        package var minimumMatch: Int32?
        /// Whether each frame names the dictionary that it needs, in four bytes.
        package var namesDictionary = true

        /// The level alone.
        package init(level: Int32 = 3) { self.level = level }
    }

    private let context: OpaquePointer
    private let dictionary: OpaquePointer?

    /// A compressor that starts each text with what a dictionary holds (RFC 8878, section 5), where there is one.
    package init(_ settings: Settings, dictionary bytes: [UInt8]? = nil) throws(CompressionError) {
        guard let context = unsafe ZSTD_createCCtx() else {
            throw .notAvailable(operation: "ZSTD_createCCtx")
        }
        // zstd copies the bytes before it returns. The level is the dictionary's where there is one.
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
        // A context without a dictionary takes null for none.
        if ZSTD_isError(unsafe ZSTD_CCtx_refCDict(context, prepared)) != 0 { isRefused = true }
        guard !isRefused, unsafe (bytes == nil) == (prepared == nil) else {
            // Made above, and used by nobody else.
            unsafe ZSTD_freeCCtx(context)
            unsafe ZSTD_freeCDict(prepared)
            throw .notAvailable(operation: "ZSTD_CCtx_setParameter")
        }
        unsafe self.context = context
        unsafe self.dictionary = prepared
    }

    deinit {
        // Both were made by `init` and are this value's alone; zstd takes null.
        unsafe ZSTD_freeCCtx(context)
        unsafe ZSTD_freeCDict(dictionary)
    }

    /// How many bytes the compressed form of so many bytes has at most.
    package static func bound(_ byteCount: Int) -> Int { ZSTD_compressBound(byteCount) }

    /// Appends the compressed form of the bytes where it fits into `room`; false, and nothing appended, where it does
    /// not.
    package mutating func compress(_ bytes: Span<UInt8>, into room: inout OutputSpan<UInt8>) -> Bool {
        unsafe room.withUnsafeMutableBufferPointer { target, count in
            unsafe bytes.withUnsafeBytes { source in
                // zstd writes within what is left of the room, and reads the bytes, which lie elsewhere.
                let code = unsafe ZSTD_compress2(
                    context, target.baseAddress.map { unsafe $0 + count }, target.count - count,
                    source.baseAddress, source.count)
                guard ZSTD_isError(code) == 0 else { return false }
                count += code
                return true
            }
        }
    }

    /// The compressed form of the bytes.
    package mutating func compress(_ bytes: Span<UInt8>) throws(CompressionError) -> [UInt8] {
        let bound = Self.bound(bytes.count)
        var isDone = false
        var compressed: [UInt8] = []
        compressed.append(addingCapacity: bound) { room in isDone = compress(bytes, into: &room) }
        guard isDone else { throw .notAvailable(operation: "ZSTD_compress2") }
        return compressed
    }
}
