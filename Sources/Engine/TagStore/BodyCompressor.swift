internal import CDTVRZstd
internal import TimedMedia

/// Compresses bodies, one after another, with one context of zstd.
@safe struct BodyCompressor: ~Copyable {
    // Of the levels 1 to 6 the smallest gain for the time: see the dictionary's own script.
    static let level: Int32 = 1

    private let context: OpaquePointer
    private let dictionary: OpaquePointer?
    private let encoding: Int64
    /// Where a body is compressed to, before it is known how long it will be.
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

    /// The tags as they are stored, each with the shorter of its body and that body's compressed form; nil where
    /// they come to more than `limit` bytes.
    mutating func encode(
        _ tags: [NewTag], receivedWall: Int64, receivedBoot: Int64, limit: Int
    ) -> EncodedAppend? {
        var entries: [EncodedAppend.Entry] = []
        entries.reserveCapacity(tags.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tags.count * 192)
        for tag in tags {
            let start = bytes.count
            let encoding = append(tag.body, to: &bytes)
            entries.append(.init(id: tag.id, encoding: encoding, body: start..<bytes.count))
            guard bytes.count + entries.count * 48 <= limit else { return nil }
        }
        return EncodedAppend(
            entries: entries, bytes: bytes, receivedWall: receivedWall, receivedBoot: receivedBoot)
    }

    /// Appends the shorter form of a body, and says which it is.
    private mutating func append(_ body: [UInt8], to bytes: inout [UInt8]) -> Int64 {
        let bound = ZSTD_compressBound(body.count)
        if scratch.count < bound { scratch = [UInt8](repeating: 0, count: bound) }
        let written = unsafe scratch.withUnsafeMutableBytes { target in
            unsafe body.withUnsafeBytes { source -> Int in
                // zstd writes within the scratch; source and target are different arrays.
                let code = unsafe ZSTD_compress2(
                    context, target.baseAddress, target.count, source.baseAddress, source.count)
                return ZSTD_isError(code) == 0 ? code : Int.max
            }
        }
        guard written < body.count else {
            bytes.append(contentsOf: body)
            return BodyEncoding.plain
        }
        bytes.append(contentsOf: scratch[..<written])
        return encoding
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
