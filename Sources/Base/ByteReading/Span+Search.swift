public import Glibc

extension Span<UInt8> {
    /// The offset of the first `byte` from `start` on; `count` where there is none.
    @inlinable
    package func firstIndex(of byte: UInt8, from start: Int) -> Int {
        let rest = extracting(start..<count)
        // memchr reads none but the bytes of the buffer, which live while the closure runs, and returns nil or
        // the address of one of them.
        return unsafe rest.withUnsafeBytes { buffer in
            guard let first = buffer.baseAddress,
                let found = unsafe memchr(first, Int32(byte), buffer.count)
            else { return count }
            return unsafe start + (UnsafeRawPointer(found) - first)
        }
    }
}
