import ByteReading

/// The content of a private frame, borrowed: an owner identifier, a zero byte, and data (ID3v2.4.0 frames, 4.27).
package struct PrivateFrame: ~Escapable {
    /// The owner identifier without the zero byte; the entire content if there is no zero byte.
    package let ownerIdentifier: Span<UInt8>

    /// The bytes after the zero byte; may be empty.
    package let data: Span<UInt8>

    /// Splits decoded content into the owner identifier and the data.
    @_lifetime(copy content)
    @inlinable @inline(__always)
    package init(content: Span<UInt8>) {
        let end = content.firstIndex(of: 0, from: 0)
        ownerIdentifier = content.extracting(0..<end)
        data = content.extracting(min(end + 1, content.count)..<content.count)
    }
}
