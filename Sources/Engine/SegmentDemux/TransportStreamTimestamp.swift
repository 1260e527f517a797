import ByteReading
internal import ID3v2

/// The timestamp in an ID3 tag at the front of a segment (RFC 8216, section 3.4).
enum TransportStreamTimestamp {
    /// The owner identifier of the PRIV frame that contains the timestamp.
    static let ownerIdentifier: StaticString = "com.apple.streaming.transportStreamTimestamp"

    /// Returns the PTS in a tag, the low 33 bits of eight big-endian bytes, or nil if the tag has none.
    ///
    /// The upper bits must be zero, but some packagers continue to count after the wrap.
    static func read(tag bytes: Span<UInt8>) -> UInt64? {
        do throws(ID3Error) {
            return read(try ID3Tag(bytes))
        } catch {
            // An invalid tag has no timestamp.
            return nil
        }
    }

    private static func read(_ tag: borrowing ID3Tag) -> UInt64? {
        var frames = tag.frames
        while let frame = frames.next() {
            guard let content = frame.privateFrame, content.ownerIdentifier.equals(ownerIdentifier) else {
                continue
            }
            guard content.data.count >= 8 else { continue }
            return content.data.bigEndianUInt64(at: 0) & (MediaTimestamp.transportPeriod - 1)
        }
        return nil
    }
}
