import ByteReading

/// The decoded content of a frame, copied out of the tag.
///
/// Use it for listings; the borrowed `ID3Frame` is for the hot path.
package enum ID3FrameContent: Sendable, Hashable {
    /// A private frame, `PRIV`: an owner identifier, decoded as ISO-8859-1, and the owner's data.
    case priv(owner: String, data: [UInt8])
    /// A user-defined text, `TXXX` or `TXX`, which has more than one value only if a writer departs from the standard.
    case userText(description: String, values: [String])
    /// Any other text frame, `T…`, which may have several values from version 2.4 on.
    case text(id: String, values: [String])
    /// A user-defined link, `WXXX` or `WXX`.
    case userURL(description: String, url: String)
    /// A comment, `COMM` or `COM`, with a three-letter language code (ISO 639-2).
    case comment(language: String, description: String, text: String)
    /// An object of any kind, `GEOB` or `GEO`.
    case object(mimeType: String, filename: String, description: String, data: [UInt8])
    /// An identifier of the file in the owner's database, `UFID` or `UFI`.
    case uniqueFileIdentifier(owner: String, identifier: [UInt8])
    /// Any other frame, or one of the above whose content cannot be decoded; `size` is the size in its header.
    case other(id: String, size: Int)

    /// The identifier of the frame; a version 2.2 identifier is replaced by its successor.
    package var id: String {
        switch self {
        case .priv: "PRIV"
        case .userText: "TXXX"
        case .userURL: "WXXX"
        case .comment: "COMM"
        case .object: "GEOB"
        case .uniqueFileIdentifier: "UFID"
        case .text(let id, _), .other(let id, _): id
        }
    }
}

extension ID3Frame {
    /// Decodes the frame's content; allocates at least once.
    ///
    /// Returns `other` for a frame that is encrypted or damaged.
    package func content(limits: InflateLimits = .init()) -> ID3FrameContent {
        if let stored = storedContent { return content(of: stored) }
        var scratch: [UInt8] = []
        do throws(ID3Error) {
            try decodeContent(into: &scratch, limits: limits)
        } catch {
            return .other(id: id.description, size: declaredSize)
        }
        return content(of: scratch.span)
    }

    /// Parses decoded content, as `storedContent` or `decodeContent(into:)` return it.
    package func content(of decoded: Span<UInt8>) -> ID3FrameContent {
        let name = id.description
        var reader = ID3TextReader(decoded)
        return known(name, &reader) ?? .other(id: name, size: declaredSize)
    }

    private func known(_ name: String, _ reader: inout ID3TextReader) -> ID3FrameContent? {
        switch name {
        case "PRIV":
            return .priv(owner: reader.text(.latin1), data: reader.rest())
        case "UFID", "UFI":
            return .uniqueFileIdentifier(owner: reader.text(.latin1), identifier: reader.rest())
        case "TXXX", "TXX":
            guard let encoding = reader.encoding() else { return nil }
            return .userText(description: reader.text(encoding), values: reader.texts(encoding))
        case "WXXX", "WXX":
            guard let encoding = reader.encoding() else { return nil }
            return .userURL(description: reader.text(encoding), url: reader.text(.latin1))
        case "COMM", "COM":
            guard let encoding = reader.encoding(), let language = reader.characters(3) else { return nil }
            return .comment(
                language: language, description: reader.text(encoding), text: reader.text(encoding))
        case "GEOB", "GEO":
            guard let encoding = reader.encoding() else { return nil }
            return .object(
                mimeType: reader.text(.latin1), filename: reader.text(encoding),
                description: reader.text(encoding), data: reader.rest())
        default:
            guard name.utf8.first == 0x54, let encoding = reader.encoding() else { return nil }
            return .text(id: name, values: reader.texts(encoding))
        }
    }
}

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
