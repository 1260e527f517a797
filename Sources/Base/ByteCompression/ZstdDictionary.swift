import CDTVRZstd

/// A dictionary made ready for bringing texts back (RFC 8878, section 5).
@safe package final class ZstdDictionary: @unchecked Sendable {
    // Sendable: written once, and zstd only reads from it afterwards.
    let handle: OpaquePointer

    /// A dictionary of those bytes, which may also be any text; nil where zstd refuses it.
    package init?(_ bytes: [UInt8]) {
        // zstd copies the bytes before it returns.
        let made = unsafe bytes.withUnsafeBytes { bytes in
            unsafe ZSTD_createDDict(bytes.baseAddress, bytes.count)
        }
        guard let made = unsafe made else { return nil }
        unsafe handle = made
    }

    deinit {
        // Made by `init`, and used only while this lives.
        unsafe ZSTD_freeDDict(handle)
    }
}
