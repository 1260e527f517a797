import ByteReading
import ID3v2
package import NielsenID3
package import TextForms

extension OtherTagOccurrence {
    /// The decoded frames of the tag; empty if the tag is unreadable, which the container's facts report.
    private var frames: [ID3FrameContent] {
        var frames: [ID3FrameContent] = []
        do throws(ID3Error) {
            let tag = try ID3Tag(metadata.bytes.span)
            var cursor = tag.frames
            while let frame = cursor.next() { frames.append(frame.content()) }
        } catch {
            return []
        }
        return frames
    }

    /// Writes the tag as one JSON object.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for key in Self.keys { writer.write(field(key), for: key) }
        writer.key("frames")
        writer.beginArray()
        for frame in frames { frame.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private static let keys: [TagKey] = [
        .source, .rendition, .segment, .mediaSequence, .programDateTime, .pts, .timescale, .seconds,
        .carriage,
        .pid, .scheme, .value, .eventMessageVersion, .eventMessageID,
    ]

    private func field(_ key: TagKey) -> TagFieldValue {
        switch key {
        case .pts: .integer(orNull: metadata.time?.ticks)
        case .timescale: metadata.time?.timescaleField ?? .absent
        case .seconds: seconds.map(TagFieldValue.number) ?? .null
        case .source, .rendition, .segment, .mediaSequence, .programDateTime: place.field(key)
        default: metadata.carriage.field(key)
        }
    }

    /// The tag as one row of the table of tags.
    package var textRow: String {
        let time = seconds.map { DecimalText.fixed($0, decimals: 3) } ?? "-"
        let content = frames.map(\.summary).joined(separator: "; ")
        return TextColumn.right(time, 12) + "  other    " + (content.isEmpty ? "cannot be read" : content)
    }
}

extension ID3FrameContent {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.value(id)
        for (key, value) in textFields {
            writer.key(key)
            writer.value(value)
        }
        switch self {
        case .priv(_, let data), .object(_, _, _, let data), .uniqueFileIdentifier(_, let data):
            writer.key("data")
            writer.value(Base64.text(data))
        case .userText(_, let values), .text(_, let values):
            // There is usually one value. Several also get a separate key, so that `value` is always text.
            writer.key("value")
            writer.value(values.first ?? "")
            if values.count > 1 {
                writer.key("values")
                writer.beginArray()
                for value in values { writer.value(value) }
                writer.endArray()
            }
        case .userURL, .comment: break
        case .other(_, let size):
            writer.key("size")
            writer.value(size)
        }
        writer.endObject()
    }

    private var textFields: [(String, String)] {
        switch self {
        case .priv(let owner, _), .uniqueFileIdentifier(let owner, _): [("owner", owner)]
        case .userText(let description, _): [("description", description)]
        case .userURL(let description, let url): [("description", description), ("value", url)]
        case .comment(let language, let description, let text):
            [("language", language), ("description", description), ("value", text)]
        case .object(let mimeType, let filename, let description, _):
            [("mime_type", mimeType), ("filename", filename), ("description", description)]
        case .text, .other: []
        }
    }

    fileprivate var summary: String {
        let text =
            switch self {
            case .priv(let owner, let data): "\(owner) (\(DecimalText.count(data.count, "byte")))"
            case .uniqueFileIdentifier(let owner, let data):
                "\(owner) (\(DecimalText.count(data.count, "byte")))"
            case .userText(let description, let values): "\(description)=\(values.joined(separator: "/"))"
            case .text(_, let values): values.joined(separator: "/")
            case .userURL(let description, let url): "\(description)=\(url)"
            case .comment(_, let description, let text): description.isEmpty ? text : "\(description)=\(text)"
            case .object(let mimeType, let name, _, let data):
                "\(mimeType) \(name) (\(DecimalText.count(data.count, "byte")))"
            case .other(_, let size): "(\(DecimalText.count(size, "byte")))"
            }
        return "\(id) \(text.printable)"
    }
}

extension String {
    /// The text with each control character replaced by a dot, because such characters could control a terminal.
    fileprivate var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? "." : $0 }))
    }
}
