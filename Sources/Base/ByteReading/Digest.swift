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
