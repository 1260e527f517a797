import CDTVRCrypto

/// SHA-256 of bytes (FIPS 180-4), by libcrypto.
package enum Digest {
    /// The 32 bytes of the digest.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe digest.withUnsafeMutableBufferPointer { output in
                // libcrypto reads input.count bytes and writes the 32 that the array has.
                _ = unsafe SHA256(input.baseAddress, input.count, output.baseAddress)
            }
        }
        return digest
    }
}
