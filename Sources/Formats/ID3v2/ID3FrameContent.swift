/// The content of a frame, decoded and owned: for listings, where the borrowed frame is for the hot path.
package enum ID3FrameContent: Sendable, Hashable {
    /// A private frame, `PRIV`: an owner identifier, read as ISO-8859-1, and the owner's data.
    case priv(owner: String, data: [UInt8])
    /// A text of the user's, `TXXX` or `TXX`; more than one value only where a writer departs from the standard.
    case userText(description: String, values: [String])
    /// Every other text frame, `T…`; from version 2.4 on it may have several values.
    case text(id: String, values: [String])
    /// A link of the user's, `WXXX` or `WXX`.
    case userURL(description: String, url: String)
    /// A comment, `COMM` or `COM`, in the language of a code of three letters (ISO 639-2).
    case comment(language: String, description: String, text: String)
    /// An object of any kind, `GEOB` or `GEO`.
    case object(mimeType: String, filename: String, description: String, data: [UInt8])
    /// An identifier of the file in the owner's database, `UFID` or `UFI`.
    case uniqueFileIdentifier(owner: String, identifier: [UInt8])
    /// Any other frame, and one of the above whose content cannot be decoded: `size` is that of its header.
    case other(id: String, size: Int)

    /// The identifier of the frame; those of version 2.2 as their successors.
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
    /// The frame's content, decoded; costs an allocation or more.
    ///
    /// A frame that cannot be decoded, because it is encrypted or damaged, comes as `other`.
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

    /// The content that `decoded` is: what `storedContent` or `decodeContent(into:)` gave.
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
