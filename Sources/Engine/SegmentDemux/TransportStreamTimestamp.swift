import ByteReading
internal import ID3v2
internal import TimedMedia

/// The timestamp that packagers write into an ID3 tag at a segment's front (RFC 8216, section 3.4).
enum TransportStreamTimestamp {
    /// The owner of the PRIV frame that holds it.
    static let ownerIdentifier: StaticString = "com.apple.streaming.transportStreamTimestamp"

    /// The PTS that a tag states, 33 bits in eight bytes, big-endian; nil where it states none.
    static func read(tag bytes: Span<UInt8>) -> UInt64? {
        do throws(ID3Error) {
            return read(try ID3Tag(bytes))
        } catch {
            // Not a tag, so no time.
            return nil
        }
    }

    private static func read(_ tag: borrowing ID3Tag) -> UInt64? {
        var frames = tag.frames
        while let frame = frames.next() {
            guard let content = frame.privateFrame, content.ownerIdentifier.equals(ownerIdentifier) else {
                continue
            }
            guard content.data.count >= 8 else { return nil }
            let pts = content.data.bigEndianUInt64(at: 0)
            return pts < MediaTimestamp.transportPeriod ? pts : nil
        }
        return nil
    }
}
