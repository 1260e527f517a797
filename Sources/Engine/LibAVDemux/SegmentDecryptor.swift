import ByteReading
internal import CDTVRLibAV

/// A reason why a segment cannot be decrypted.
package enum DecryptionError: Error, Sendable, Hashable {
    /// The given METHOD is not AES-128 over whole segments.
    case unsupportedMethod(String)
    /// The key is not 16 bytes long.
    case keyLength(Int)
    /// The initialization vector is not 16 bytes long.
    case initializationVectorLength(Int)
    /// The segment's length is zero or not a multiple of 16 bytes; `offset` is the position of its end.
    case segmentLength(offset: UInt64)
    /// The last block does not end in PKCS7 padding: the key is wrong, or the segment is damaged.
    case padding(offset: UInt64)
    /// The library of the cipher, libavutil, is missing.
    case missingLibrary
    /// Memory for the cipher could not be allocated.
    case allocation
}

/// Decrypts one AES-128 segment in CBC mode with PKCS7 padding (RFC 8216, 4.3.2.4 and 5.2).
///
///     var decryptor = try SegmentDecryptor(key: key, iv: vector)
///     try decryptor.update(chunk) { plain in try demuxer.feed(plain) }
///     try demuxer.feed(decryptor.finish().span)
///
/// The last block is held back until `finish`, because its padding can only be removed at the end. SAMPLE-AES is not
/// supported: `init(method:key:iv:)` throws.
@safe package struct SegmentDecryptor: ~Copyable {
    private static let blockLength = 16
    /// The length of a key in bytes.
    package static let keyByteCount = 16

    private let cipher: OpaquePointer
    private var vector: [UInt8]
    /// Encrypted bytes that wait for the rest of their block or for the end, at most one block.
    private var held: [UInt8] = []
    private var plain: [UInt8] = []
    private var offset: UInt64 = 0

    /// Creates a decryptor for one segment; `key` and `iv` must be 16 bytes long.
    package init(key: [UInt8], iv: [UInt8]) throws(DecryptionError) {
        guard key.count == Self.keyByteCount else { throw .keyLength(key.count) }
        guard iv.count == Self.blockLength else { throw .initializationVectorLength(iv.count) }
        guard unsafe dtvr_av_missing() == nil else { throw .missingLibrary }
        guard let cipher = unsafe dtvr_av_aes_alloc() else { throw .allocation }
        // A 128-bit key is 16 bytes, checked above; the call copies it.
        let code = unsafe key.withUnsafeBufferPointer { bytes in
            unsafe dtvr_av_aes_init(cipher, bytes.baseAddress, 128, 1)
        }
        guard code == 0 else {
            unsafe dtvr_av_free(UnsafeMutableRawPointer(cipher))
            throw .allocation
        }
        unsafe self.cipher = cipher
        vector = iv
    }

    /// Creates a decryptor for an EXT-X-KEY with the given METHOD; only `AES-128` is supported.
    package init(method: String, key: [UInt8], iv: [UInt8]) throws(DecryptionError) {
        guard method == "AES-128" else { throw .unsupportedMethod(method) }
        try self.init(key: key, iv: iv)
    }

    deinit {
        // Allocated by av_aes_alloc in init and owned by this value alone.
        unsafe dtvr_av_free(UnsafeMutableRawPointer(cipher))
    }

    /// Decrypts a chunk of any size and passes the plaintext, except the last block, to `body`.
    package mutating func update<Failure>(
        _ chunk: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        offset += UInt64(chunk.count)
        // Decrypt all whole blocks except the last one, which may be padding.
        let total = held.count + chunk.count
        let ready = total > 0 ? (total - 1) / Self.blockLength * Self.blockLength : 0
        guard ready > 0 else {
            held.append(contentsOf: chunk.copy())
            return
        }
        let fromChunk = ready - held.count
        held.append(contentsOf: chunk.copy(0..<fromChunk))
        decryptHeld()
        held = chunk.copy(fromChunk..<chunk.count)
        try body(plain.span)
    }

    /// Ends the segment and returns the remaining plaintext without its padding, at most 15 bytes.
    ///
    /// - Throws: `DecryptionError` if the length or the padding is wrong. The plaintext that `update` passed on is then
    ///   unreliable too.
    package mutating func finish() throws(DecryptionError) -> [UInt8] {
        guard held.count == Self.blockLength else { throw .segmentLength(offset: offset) }
        decryptHeld()
        held = []
        let count = Int(plain[Self.blockLength - 1])
        guard (1...Self.blockLength).contains(count), plain.suffix(count).allSatisfy({ $0 == UInt8(count) })
        else { throw .padding(offset: offset - UInt64(Self.blockLength)) }
        return Array(plain.dropLast(count))
    }

    /// Decrypts the whole blocks in `held` into `plain`.
    private mutating func decryptHeld() {
        let blockCount = held.count / Self.blockLength
        if plain.count != held.count { plain = [UInt8](repeating: 0, count: held.count) }
        unsafe plain.withUnsafeMutableBufferPointer { target in
            unsafe held.withUnsafeBufferPointer { source in
                unsafe vector.withUnsafeMutableBufferPointer { vector in
                    // Target and source hold blockCount blocks and the vector holds one; the call writes no more.
                    unsafe dtvr_av_aes_crypt(
                        cipher, target.baseAddress, source.baseAddress, Int32(clamping: blockCount),
                        vector.baseAddress, 1)
                }
            }
        }
    }
}
