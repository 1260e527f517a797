internal import CZstd
internal import TimedMedia

/// Compresses bodies, one after another, with one context of zstd.
@safe struct BodyCompressor: ~Copyable {
    // Of the levels 1 to 6 the smallest gain for the time: see the dictionary's own script.
    static let level: Int32 = 1

    private let context: OpaquePointer
    private let dictionary: OpaquePointer?
    private let dictionaryEncoding: Int64

    init(dictionary: BodyDictionary?) throws(StoreError) {
        guard let context = unsafe ZSTD_createCCtx() else {
            throw .system(operation: "ZSTD_createCCtx", path: "", errno: 0)
        }
        unsafe self.context = context
        guard let dictionary else {
            unsafe self.dictionary = nil
            dictionaryEncoding = BodyEncoding.zstd
            return
        }
        dictionaryEncoding = dictionary.version
        // zstd copies the bytes before it returns.
        unsafe self.dictionary = dictionary.bytes.withUnsafeBytes { bytes in
            unsafe ZSTD_createCDict(bytes.baseAddress, bytes.count, Self.level)
        }
    }

    deinit {
        // Both were made by `init` and are this value's alone; zstd lets null pass.
        unsafe ZSTD_freeCCtx(context)
        unsafe ZSTD_freeCDict(dictionary)
    }

    /// Appends the shorter of the body and its compressed form, and says which it is.
    mutating func append(_ body: [UInt8], to output: inout [UInt8]) -> Int64 {
        let start = output.count
        let bound = ZSTD_compressBound(body.count)
        output.append(contentsOf: repeatElement(0, count: bound))
        let written = unsafe output.withUnsafeMutableBytes { destination in
            unsafe body.withUnsafeBytes { source -> Int in
                // `bound` bytes stand behind `start`; source and destination are different arrays.
                guard let address = destination.baseAddress else { return 0 }
                let target = unsafe address + start
                let code =
                    if unsafe dictionary != nil {
                        unsafe ZSTD_compress_usingCDict(
                            context, target, bound, source.baseAddress, source.count, dictionary)
                    } else {
                        unsafe ZSTD_compressCCtx(
                            context, target, bound, source.baseAddress, source.count, Self.level)
                    }
                return ZSTD_isError(code) == 0 ? code : Int.max
            }
        }
        if written < body.count {
            output.removeLast(bound - written)
            return unsafe dictionary == nil ? BodyEncoding.zstd : dictionaryEncoding
        }
        output.removeLast(bound)
        output.append(contentsOf: body)
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
