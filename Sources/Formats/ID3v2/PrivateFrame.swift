import ByteReading

/// The content of a private frame, borrowed: an owner identifier, a zero byte, and data (ID3v2.4.0 frames, 4.27).
package struct PrivateFrame: ~Escapable {
    /// The owner identifier without the zero byte; all of the content where no zero byte ends it.
    package let ownerIdentifier: Span<UInt8>

    /// The bytes behind the zero byte; may be none.
    package let data: Span<UInt8>

    /// Whether a zero byte ends the owner identifier.
    package let isTerminated: Bool

    /// The private frame with this content, decoded where it was not stored as it is.
    @_lifetime(copy content)
    @inlinable @inline(__always)
    package init(content: Span<UInt8>) {
        let end = content.firstIndex(of: 0, from: 0)
        ownerIdentifier = content.extracting(0..<end)
        isTerminated = end < content.count
        data = content.extracting(min(end + 1, content.count)..<content.count)
    }
}
