public import Glibc

extension Span<UInt8> {
    /// Returns whether both spans have the same bytes.
    @inlinable
    package func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard !isEmpty else { return true }
        // Both buffers have the compared number of bytes and outlive the closures.
        return unsafe withUnsafeBytes { bytes in
            unsafe other.withUnsafeBytes { others in
                guard let first = bytes.baseAddress, let second = others.baseAddress else { return false }
                return unsafe memcmp(first, second, bytes.count) == 0
            }
        }
    }

    /// Returns whether the bytes are exactly those of an ASCII text.
    @inlinable
    package func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && hasASCII(text, at: 0)
    }
}
