import ByteReading
internal import CDTVRZstd

/// Compresses bodies, one after another, with one context of zstd.
@safe struct BodyCompressor: ~Copyable {
    // Of the levels 1 to 6 the smallest gain for the time: see the dictionary's own script.
    static let level: Int32 = 1

    /// How much of the working memory is kept from piece to piece.
    private static let keptByteCount = 65_536

    private let context: OpaquePointer
    private let dictionary: OpaquePointer?
    private let encoding: Int64
    /// Where a piece is put together, before it is known how long it will be.
    private var scratch: [UInt8] = []

    init(dictionary: BodyDictionary?) throws(StoreError) {
        guard let context = unsafe ZSTD_createCCtx() else {
            throw .system(operation: "ZSTD_createCCtx", path: "", errno: 0)
        }
        // zstd copies the bytes before it returns.
        let prepared = unsafe dictionary?.bytes.withUnsafeBytes { bytes in
            unsafe ZSTD_createCDict(bytes.baseAddress, bytes.count, Self.level)
        }
        // The level is the dictionary's where there is one. Its number stands in the row, and four bytes of it in
        // each frame would be for nothing. A refused setting only makes bodies longer.
        _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
        _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)
        let code = unsafe ZSTD_CCtx_refCDict(context, prepared)
        guard ZSTD_isError(code) == 0, unsafe (dictionary == nil) == (prepared == nil) else {
            unsafe ZSTD_freeCCtx(context)
            unsafe ZSTD_freeCDict(prepared)
            throw .system(operation: "ZSTD_CCtx_refCDict", path: "", errno: 0)
        }
        unsafe self.context = context
        unsafe self.dictionary = prepared
        encoding = dictionary?.version ?? BodyEncoding.zstd
    }

    deinit {
        // Both were made by `init` and are this value's alone; zstd lets null pass.
        unsafe ZSTD_freeCCtx(context)
        unsafe ZSTD_freeCDict(dictionary)
    }

    /// The tags, each with the shorter of its body and that body's compressed form.
    mutating func piece(of tags: ArraySlice<NewTag>) -> EncodedPiece {
        let bound = tags.reduce(0) { $0 + ZSTD_compressBound($1.body.count) }
        if scratch.count < bound { scratch = [UInt8](repeating: 0, count: bound) }
        var entries: [EncodedPiece.Entry] = []
        entries.reserveCapacity(tags.count)
        var end = 0
        for tag in tags {
            let start = end
            let encoding = append(tag.body, at: &end)
            entries.append(.init(id: tag.id, encoding: encoding, bytes: start..<end))
        }
        let bytes = Array(scratch[..<end])
        if scratch.count > Self.keptByteCount { scratch = [] }
        return EncodedPiece(entries: entries, bytes: bytes)
    }

    /// Writes the shorter form of a body, and says which it is; the scratch has room for the longest.
    private mutating func append(_ body: [UInt8], at end: inout Int) -> Int64 {
        let start = end
        let written = unsafe scratch.withUnsafeMutableBytes { destination in
            unsafe body.withUnsafeBytes { source -> Int in
                // zstd writes within what is left of the scratch; source and destination are different arrays.
                let target = unsafe UnsafeMutableRawBufferPointer(rebasing: destination[start...])
                let code = unsafe ZSTD_compress2(
                    context, target.baseAddress, target.count, source.baseAddress, source.count)
                return ZSTD_isError(code) == 0 ? code : Int.max
            }
        }
        if written < body.count {
            end += written
            return encoding
        }
        scratch.replaceSubrange(start..<start + body.count, with: body)
        end += body.count
        return BodyEncoding.plain
    }
}

/// Brings bodies back, whatever they were written with.
@safe struct BodyDecompressor: ~Copyable {
    /// A dictionary made ready.
    @safe private final class Prepared {
        let version: Int64
        let handle: OpaquePointer?

        init(_ dictionary: BodyDictionary) {
            version = dictionary.version
            // zstd copies the bytes before it returns.
            unsafe handle = dictionary.bytes.withUnsafeBytes { bytes in
                unsafe ZSTD_createDDict(bytes.baseAddress, bytes.count)
            }
        }

        deinit {
            // Made by `init`, used only while this lives; null passes.
            unsafe ZSTD_freeDDict(handle)
        }
    }

    private let context: OpaquePointer
    private let dictionaries: [Prepared]

    init(dictionaries: [BodyDictionary]) throws(StoreError) {
        guard let context = unsafe ZSTD_createDCtx() else {
            throw .system(operation: "ZSTD_createDCtx", path: "", errno: 0)
        }
        unsafe self.context = context
        self.dictionaries = dictionaries.map { Prepared($0) }
    }

    deinit {
        // As for the compressor.
        unsafe ZSTD_freeDCtx(context)
    }

    /// The body; nil where the bytes are not what a body of this encoding can be.
    mutating func body(of stored: Span<UInt8>, encoding: Int64) -> [UInt8]? {
        if encoding == BodyEncoding.plain { return stored.copy() }
        var dictionary: Prepared?
        if encoding != BodyEncoding.zstd {
            guard let found = dictionaries.last(where: { $0.version == encoding }) else { return nil }
            dictionary = found
        }
        return unsafe stored.withUnsafeBufferPointer { source -> [UInt8]? in
            // zstd reads within the lent buffer.
            let announced = unsafe ZSTD_getFrameContentSize(source.baseAddress, source.count)
            guard announced <= UInt64(NewTag.maximumBodyByteCount) else { return nil }
            let count = Int(announced)
            var isWhole = false
            let body = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initializedCount in
                // zstd writes at most `count` bytes, and tells how many.
                let code =
                    if let dictionary {
                        unsafe ZSTD_decompress_usingDDict(
                            context, target.baseAddress, count, source.baseAddress, source.count,
                            dictionary.handle)
                    } else {
                        unsafe ZSTD_decompressDCtx(
                            context, target.baseAddress, count, source.baseAddress, source.count)
                    }
                isWhole = ZSTD_isError(code) == 0 && code == count
                initializedCount = isWhole ? count : 0
            }
            return isWhole ? body : nil
        }
    }
}
