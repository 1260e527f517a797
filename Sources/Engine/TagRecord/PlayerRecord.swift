package import NielsenID3
import TextForms

/// A record of a player beside its tags: of its app, of an asset or its playback, or of how long the app ran.
package struct PlayerRecord: Sendable, Hashable {
    /// The kinds of record; a number is never used again for another one.
    package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// The app, once for each app session.
        case app = 1
        /// An asset with the channel and all its metadata.
        case asset = 2
        /// The playback of an asset.
        case session = 3
        /// The time between the start of the app in the foreground and its end.
        case run = 4

        /// The value of `kind` in every output format.
        package var name: String {
            switch self {
            case .app: "app"
            case .asset: "asset"
            case .session: "session"
            case .run: "run"
            }
        }
    }

    /// The kind of the record.
    package let kind: Kind
    /// The app session, the viewing session and the asset; the last playhead in a record of kind `session`.
    package let place: SessionPlace
    /// The other members, as a JSON object without blanks around its braces.
    package let content: [UInt8]

    /// Creates a record.
    ///
    /// - Parameter content: a valid JSON object without blanks around its braces.
    package init(_ kind: Kind, at place: SessionPlace, content: [UInt8]) {
        self.kind = kind
        self.place = place
        self.content = content
    }
}

/// The encoding of a record as a stored body.
///
///     version   1 byte, 4: distinguishes it from the body of a tag
///     kind      1 byte: the number of the kind
///     store     a text: the id that replaces the buffer's for a user who has opted out; otherwise empty
///     session   as in the body of a tag
///     content   a varint length and a JSON object
///
/// Version 3 had the playback of an asset without tags: store, session, and the first playhead and the seconds watched,
/// each 8 bytes, IEEE 754, big-endian.
extension PlayerRecord {
    private static let bodyVersion: UInt8 = 4
    private static let playbackVersion: UInt8 = 3

    /// Returns whether a stored body with this version is a record of a player, and not a tag.
    static func isVersion(_ version: UInt8) -> Bool { version == bodyVersion || version == playbackVersion }

    /// The encoded body.
    package var storedBody: [UInt8] {
        var bytes = CompactWriter()
        bytes.byte(Self.bodyVersion)
        bytes.byte(kind.rawValue)
        bytes.text(place.optedOutStore ?? "")
        place.encode(to: &bytes)
        bytes.blob(content)
        return bytes.bytes
    }

    /// Decodes the rest of a stored body, after its version.
    init(
        _ bytes: Span<UInt8>, version: UInt8, _ reader: inout CompactReader
    ) throws(StoredBody.DecodingError) {
        let offset = reader.offset
        let isPlayback = version == Self.playbackVersion
        guard let kind = isPlayback ? .session : Kind(rawValue: try reader.byte(bytes)) else {
            throw .invalid(offset: offset)
        }
        let store = try StoredBody.decodeStore(bytes, &reader, isOptional: true)
        var place = try SessionPlace(bytes, &reader)
        place.optedOutStore = store
        let content =
            isPlayback ? try Self.playback(bytes, &reader) : try Self.object(bytes, try reader.blob(bytes))
        self.init(kind, at: place, content: content)
    }

    /// Returns the object in a range, which must be valid.
    private static func object(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(StoredBody.DecodingError) -> [UInt8] {
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "{"),
            bytes[range.upperBound - 1] == UInt8(ascii: "}")
        else { throw .invalid(offset: range.lowerBound) }
        do throws(JSONReader.JSONError) {
            _ = try JSONReader.kind(of: bytes, in: range)
        } catch {
            throw .invalid(offset: range.lowerBound)
        }
        return range.map { bytes[$0] }
    }

    /// Decodes the numbers of a body of version 3.
    private static func playback(
        _ bytes: Span<UInt8>, _ reader: inout CompactReader
    ) throws(StoredBody.DecodingError) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.write("first_playhead", Double(bitPattern: try reader.fixed(bytes)))
        writer.write("watched", Double(bitPattern: try reader.fixed(bytes)))
        writer.endObject()
        return writer.bytes
    }
}

extension PlayerRecord {
    /// Writes the members of the object that a collector receives.
    func writeWireMembers(id: String, received: Int64, to writer: inout JSONWriter) {
        writer.key("id")
        writer.value(id)
        writer.key("received")
        writer.value(time: received)
        place.writeMembers(to: &writer)
        writer.key("kind")
        writer.value(kind.name)
        writer.members(ofObject: content.span)
    }

    /// The cells of the record in a table of tags; columns that do not apply contain a dash.
    package var textCells: [String] {
        let seconds = place.playhead.map { DecimalText.fixed($0, decimals: 3, unknown: "-") } ?? "-"
        let subject = kind == .app ? appID : place.asset ?? place.channel
        return [
            seconds, kind.name, "-", "-", "-", "-", "-", subject.map(PrintableText.of) ?? "-", "player", "-",
        ]
    }

    /// The id of the app in a record of kind `app`; nil if the content has none.
    private var appID: String? {
        let app = Self.member("app", .object, of: content.span, in: 0..<content.count)
        return app.flatMap { Self.member("appid", .string, of: content.span, in: $0) }
            .map { JSONReader.string(content.span, in: $0) }
    }

    private static func member(
        _ name: StaticString, _ wanted: JSONReader.Kind, of bytes: Span<UInt8>, in range: Range<Int>
    ) -> Range<Int>? {
        var found: Range<Int>?
        do throws(JSONReader.JSONError) {
            try JSONReader.members(of: bytes, in: range) { key, value, kind in
                if kind == wanted, JSONReader.string(bytes, in: key, is: name) { found = value }
            }
        } catch {
            return nil
        }
        return found
    }
}
