import CDTVRCrypto

/// SHA-256 (FIPS 180-4), computed by libcrypto.
package enum Digest {
    /// Returns the 32-byte digest.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe digest.withUnsafeMutableBufferPointer { output in
                // libcrypto reads input.count bytes and writes 32 bytes, the size of the array.
                _ = unsafe SHA256(input.baseAddress, input.count, output.baseAddress)
            }
        }
        return digest
    }
}

/// Keyed message authentication codes (HMAC, RFC 2104), computed by libcrypto.
package enum MessageAuthentication {
    /// Returns the 32-byte HMAC with SHA-256.
    package static func sha256(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        unsafe key.withUnsafeBytes { key in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe code.withUnsafeMutableBufferPointer { output in
                    // libcrypto reads as many bytes as the counts state and writes 32 bytes, the size of the array.
                    _ = unsafe HMAC(
                        EVP_sha256(), key.baseAddress, Int32(key.count), message.baseAddress, message.count,
                        output.baseAddress, nil)
                }
            }
        }
        return code
    }
}
