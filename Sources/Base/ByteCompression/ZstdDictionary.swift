import CDTVRZstd

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
