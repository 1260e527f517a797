import CDTVRCrypto

/// libcrypto in this process, which the application and other libraries may use too.
package enum Cryptography {
    /// Whether libcrypto is initialized.
    ///
    /// Read this before any call of libcrypto, or of a library that uses it.
    ///
    /// libcrypto frees its state in an exit handler if its first user does not ask otherwise. When an application
    /// returns from `main`, the threads of the library may still use TLS, and the handler would make them crash.
    package static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}

/// SHA-256 (FIPS 180-4), computed by libcrypto.
package enum Digest {
    /// Returns the 32-byte digest.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        _ = Cryptography.isReady
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
        _ = Cryptography.isReady
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
