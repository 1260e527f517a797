import NielsenID3

/// A summary as the buffer keeps it.
///
///     version   1 byte, 3: no body of a tag has it
///     store     a text: the id that stands for the buffer's, of a user who has opted out; otherwise empty
///     session   as in the body of a tag
///     numbers   the first playhead, and the seconds watched, each 8 bytes, IEEE 754, big-endian
extension AssetSummary {
    static let bodyVersion: UInt8 = 3

    /// The bytes to keep.
    package var storedBody: [UInt8] {
        var bytes = CompactWriter()
        bytes.byte(Self.bodyVersion)
        bytes.text(session.optedOutStore ?? "")
        session.encode(to: &bytes)
        bytes.fixed(firstPlayhead.bitPattern)
        bytes.fixed(watched.bitPattern)
        return bytes.bytes
    }

    /// The summary of a stored body, after its version.
    init(_ bytes: Span<UInt8>, _ reader: inout CompactReader) throws(StoredBody.DecodingError) {
        let store = try StoredBody.decodeStore(bytes, &reader, isOptional: true)
        var session = try SessionPlace(bytes, &reader)
        session.optedOutStore = store
        self.init(
            session: session, firstPlayhead: Double(bitPattern: try reader.fixed(bytes)),
            watched: Double(bitPattern: try reader.fixed(bytes)))
    }
}
