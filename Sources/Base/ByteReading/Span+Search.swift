public import Glibc

extension Span<UInt8> {
    /// Returns the offset of the first `byte` at or after `start`, or `count` if there is none.
    @inlinable
    package func firstIndex(of byte: UInt8, from start: Int) -> Int {
        let rest = extracting(start..<count)
        // memchr reads only the bytes of the buffer, which outlives the closure. It returns nil or the address of one
        // of them.
        return unsafe rest.withUnsafeBytes { buffer in
            guard let first = buffer.baseAddress,
                let found = unsafe memchr(first, Int32(byte), buffer.count)
            else { return count }
            return unsafe start + (UnsafeRawPointer(found) - first)
        }
    }

    /// Returns the offset of the first occurrence of an ASCII text that is not empty, or `count` if there is none.
    package func firstIndex(of text: StaticString) -> Int {
        // The text is not empty, so its first byte is readable.
        let first = unsafe text.utf8Start.pointee
        var position = firstIndex(of: first, from: 0)
        while position < count, !hasASCII(text, at: position) {
            position = firstIndex(of: first, from: position + 1)
        }
        return position
    }
}

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
