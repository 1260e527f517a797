import NielsenID3

/// The encoding of a summary as a stored body.
///
///     version   1 byte, 3: distinguishes it from the body of a tag
///     store     a text: the id that replaces the buffer's for a user who has opted out; otherwise empty
///     session   as in the body of a tag
///     numbers   the first playhead and the seconds watched, each 8 bytes, IEEE 754, big-endian
extension AssetSummary {
    static let bodyVersion: UInt8 = 3

    /// The encoded body.
    package var storedBody: [UInt8] {
        var bytes = CompactWriter()
        bytes.byte(Self.bodyVersion)
        bytes.text(session.optedOutStore ?? "")
        session.encode(to: &bytes)
        bytes.fixed(firstPlayhead.bitPattern)
        bytes.fixed(watched.bitPattern)
        return bytes.bytes
    }

    /// Decodes the rest of a stored body, after its version.
    init(_ bytes: Span<UInt8>, _ reader: inout CompactReader) throws(StoredBody.DecodingError) {
        let store = try StoredBody.decodeStore(bytes, &reader, isOptional: true)
        var session = try SessionPlace(bytes, &reader)
        session.optedOutStore = store
        self.init(
            session: session, firstPlayhead: Double(bitPattern: try reader.fixed(bytes)),
            watched: Double(bitPattern: try reader.fixed(bytes)))
    }
}
