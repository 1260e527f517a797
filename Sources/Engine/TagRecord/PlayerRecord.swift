package import NielsenID3
import TextForms

/// A summary of the playback of an asset in a session that reports playheads only and has no tags.
package struct AssetSummary: Sendable, Hashable {
    /// The viewing session, the asset and the last playhead.
    package var session: SessionPlace
    /// The first playhead, in seconds, or in Unix seconds for live.
    package var firstPlayhead: Double
    /// The seconds that the playhead advanced, without jumps.
    package var watched: Double

    /// Creates a summary of an asset.
    package init(session: SessionPlace, firstPlayhead: Double, watched: Double) {
        self.session = session
        self.firstPlayhead = firstPlayhead
        self.watched = watched
    }
}

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

extension AssetSummary {
    /// Writes the members of the object that a collector receives.
    func writeWireMembers(id: String, received: Int64, to writer: inout JSONWriter) {
        writer.key("id")
        writer.value(id)
        writer.key("received")
        writer.value(time: received)
        session.writeMembers(to: &writer)
        writer.key("kind")
        writer.value("session")
        writer.key("first_playhead")
        writer.value(firstPlayhead)
        writer.key("watched")
        writer.value(watched)
    }

    /// The cells of the summary in a table of tags; columns that do not apply contain a dash.
    package var textCells: [String] {
        let seconds = session.playhead.map { DecimalText.fixed($0, decimals: 3, unknown: "-") } ?? "-"
        let asset = session.asset.map(PrintableText.of) ?? "-"
        return [seconds, "session", "-", "-", "-", "-", "-", asset, "player", "-"]
    }
}
