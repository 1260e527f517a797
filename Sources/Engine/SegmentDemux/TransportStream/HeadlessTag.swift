/// A Nielsen tag without its first five bytes, `ID3` and the version.
///
/// FFmpeg 5.1 drops these bytes when it remultiplexes timed ID3, because it mistakes them for the header of a metadata
/// access unit.
enum HeadlessTag {
    /// The remaining 15 of the 20 bytes before the owner identifier.
    private static let header: [UInt8] = [
        0x20, 0, 0, 0x02, 0x05, 0x50, 0x52, 0x49, 0x56, 0, 0, 0x01, 0x7B, 0, 0,
    ]
    private static let maximumOwnerLength = 249

    /// Returns the owner identifier, which may be truncated, or nil if the bytes are not such a tag.
    static func owner(in bytes: Span<UInt8>) -> [UInt8]? {
        guard bytes.count > header.count else { return nil }
        for index in header.indices where bytes[index] != header[index] { return nil }
        var owner: [UInt8] = []
        for index in header.count..<min(bytes.count, header.count + maximumOwnerLength) {
            guard bytes[index] > 0x20, bytes[index] < 0x7F else { break }
            owner.append(bytes[index])
        }
        return owner
    }
}
