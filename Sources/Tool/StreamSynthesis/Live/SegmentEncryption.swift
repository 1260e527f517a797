import CDTVRCrypto

/// AES-128 encryption in CBC mode with PKCS7 padding, as used with EXT-X-KEY (RFC 8216, section 4.3.2.4).
enum SegmentEncryption {
    /// Returns the encrypted bytes; the key and the vector must be 16 bytes each.
    static func encrypt(
        _ bytes: [UInt8], key: [UInt8], vector: [UInt8]
    ) throws(SynthesisError) -> [UInt8] {
        precondition(key.count == 16 && vector.count == 16, "a key and a vector have 16 bytes")
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw failure }
        // The context is used only in this call.
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var encrypted = [UInt8](repeating: 0, count: bytes.count + 16)
        var count: Int32 = 0
        var lastCount: Int32 = 0
        // The output has room for one more block than the input, the maximum length of the padding.
        let isDone = unsafe encrypted.withUnsafeMutableBufferPointer { output in
            unsafe EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector) == 1
                && EVP_EncryptUpdate(context, output.baseAddress, &count, bytes, Int32(bytes.count)) == 1
                && EVP_EncryptFinal_ex(context, output.baseAddress.map { unsafe $0 + Int(count) }, &lastCount)
                    == 1
        }
        guard isDone else { throw failure }
        return Array(encrypted.prefix(Int(count + lastCount)))
    }

    private static var failure: SynthesisError {
        .library(function: "EVP_EncryptInit_ex", code: 0, message: "libcrypto cannot encrypt with AES-128")
    }
}
