public import Glibc

extension Span<UInt8> {
    /// Whether both have the same bytes.
    @inlinable
    package func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard !isEmpty else { return true }
        // Both buffers have as many bytes as are compared, and live while the closures run.
        return unsafe withUnsafeBytes { bytes in
            unsafe other.withUnsafeBytes { others in
                guard let first = bytes.baseAddress, let second = others.baseAddress else { return false }
                return unsafe memcmp(first, second, bytes.count) == 0
            }
        }
    }

    /// Whether these bytes are those of an ASCII text, no more and no less.
    @inlinable
    package func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && hasASCII(text, at: 0)
    }
}
