import CDTVRCrypto

/// A keyed sum of a message, by which whoever has the key knows that it was not changed (HMAC, RFC 2104), by libcrypto.
package enum MessageAuthentication {
    /// The 32 bytes of HMAC with SHA-256.
    package static func sha256(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        unsafe key.withUnsafeBytes { key in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe code.withUnsafeMutableBufferPointer { output in
                    // libcrypto reads as many bytes as the counts say, and writes the 32 that the array has.
                    _ = unsafe HMAC(
                        EVP_sha256(), key.baseAddress, Int32(key.count), message.baseAddress, message.count,
                        output.baseAddress, nil)
                }
            }
        }
        return code
    }
}
