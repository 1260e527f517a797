import ByteReading

/// The text of an event message that carries a tag: `type=nielsen_tag…payload=BASE64`.
///
/// NULs and percent escapes in the base64 are skipped, as in the public players; the padding may be missing.
struct TagPayload {
    /// The tags in the payload, at least one.
    let tags: [HandedTag]

    /// Parses the payload of such a text; nil if the text has another form.
    init?(_ bytes: [UInt8]) {
        guard Self.firstIndex(of: "nielsen_tag", in: bytes) != nil,
            let start = Self.firstIndex(of: "payload=", in: bytes)
        else { return nil }
        var text: [UInt8] = []
        var index = start + 8
        characters: while index < bytes.count {
            switch bytes[index] {
            case 0: break
            case UInt8(ascii: "%"): index += 2
            case UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "\""), 0x09...0x0D, 0x20: break characters
            default: text.append(bytes[index])
            }
            index += 1
        }
        guard !text.isEmpty, let content = Base64.bytes(text.span), !content.isEmpty else {
            tags = [.unreadable]
            return
        }
        // A payload within a payload is not a known form.
        tags = Self.firstIndex(of: "payload=", in: content) == nil ? HandedTag.tags(in: content) : [.other]
    }

    private static func firstIndex(of text: String, in bytes: [UInt8]) -> Int? {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        return (0...bytes.count - wanted.count).first { bytes[$0...].starts(with: wanted) }
    }
}
