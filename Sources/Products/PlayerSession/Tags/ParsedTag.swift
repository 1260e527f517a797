import ByteReading
import ID3v2
package import NielsenID3

/// One tag in the input of `sendID3`.
enum ParsedTag: Sendable, Hashable {
    /// A Nielsen tag, damaged or not.
    case nielsen(NielsenTag)
    /// A tag of another owner, or any other text.
    case other
    /// Empty text, or no value.
    case empty
    /// Not text, or undecodable base64.
    case invalid
    /// A Nielsen tag that is too long to store.
    case tooLong

    /// The longest owner identifier that is stored; a valid one has 249 bytes.
    static let maximumOwnerByteCount = 32_768
    /// The longest input that is parsed, in bytes.
    static let maximumInputByteCount = 1 << 20

    /// The size of its owner identifier.
    var byteCount: Int { if case .nielsen(let tag) = self { tag.ownerIdentifier.count } else { 0 } }

    private var isNielsen: Bool {
        switch self {
        case .nielsen, .tooLong: true
        case .other, .empty, .invalid: false
        }
    }

    /// Returns the tags in a value, at least one.
    static func tags(in value: MetadataValue?) -> [ParsedTag] {
        switch value {
        case nil: [.empty]
        case .text(let text): tags(in: bytes(of: text).span)
        default: [.invalid]
        }
    }

    /// Returns the bytes of a text: one for each character up to U+00FF, or its UTF-8 if it has other characters.
    ///
    /// JSON and the languages of many players have no bytes, so their tags are texts with one character for each byte.
    static func bytes(of text: String) -> [UInt8] {
        let utf8 = Array(text.utf8)
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return utf8 }
            bytes.append(byte)
        }
        return bytes
    }

    /// Returns the text of bytes, with one character for each byte.
    static func text(of bytes: Span<UInt8>) -> String {
        var text = ""
        text.unicodeScalars.reserveCapacity(bytes.count)
        for index in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
        return text
    }

    /// Returns the tags in bytes, at least one; recognizes the form from the content.
    static func tags(in bytes: Span<UInt8>) -> [ParsedTag] {
        guard !bytes.isEmpty else { return [.empty] }
        guard bytes.count <= maximumInputByteCount else { return [.tooLong] }
        let whole = tagsOfID3(in: bytes)
        // In a damaged tag the frame may not be found, even if the owner identifier is intact.
        if whole.contains(where: \.isNielsen) { return whole }
        if let owner = owner(in: bytes) { return [owner] }
        if !whole.isEmpty { return whole }
        return tagsOfPayload(in: bytes) ?? [.other]
    }

    /// Returns one tag for each private frame of a whole ID3 tag; empty if there is no ID3 tag, or no such frame.
    private static func tagsOfID3(in bytes: Span<UInt8>) -> [ParsedTag] {
        guard bytes.hasASCII("ID3", at: 0) else { return [] }
        var tags: [ParsedTag] = []
        do throws(ID3Error) {
            let tag = try ID3Tag(bytes)
            var frames = tag.frames
            var scratch: [UInt8] = []
            while true {
                guard let frame = frames.next() else {
                    guard frames.defect != nil, frames.recover() else { break }
                    continue
                }
                guard frame.id == .priv else { continue }
                if let content = frame.privateFrame {
                    tags.append(ofFrame(content))
                    continue
                }
                do throws(ID3Error) {
                    _ = try frame.decodeContent(into: &scratch)
                    let content = scratch
                    tags.append(ofFrame(PrivateFrame(content: content.span)))
                } catch {
                    tags.append(.other)
                }
            }
        } catch {
            return []
        }
        return tags
    }

    private static func ofFrame(_ frame: borrowing PrivateFrame) -> ParsedTag {
        ofOwner(frame.ownerIdentifier) ?? .other
    }

    /// Returns the tag of the first owner identifier in bytes, which extends to the next NUL; nil if there is none.
    private static func owner(in bytes: Span<UInt8>) -> ParsedTag? {
        let host: StaticString = "www.nielsen.com/"
        var start = bytes.firstIndex(of: host)
        // The page for opting out, and others, have the same host.
        while start < bytes.count, OwnerTextAddress.isPage(in: bytes, at: start) {
            let next = start + host.utf8CodeUnitCount
            start = next + bytes.extracting(next..<bytes.count).firstIndex(of: host)
        }
        return ofOwner(bytes.extracting(start..<bytes.firstIndex(of: 0, from: start)))
    }

    private static func ofOwner(_ owner: Span<UInt8>) -> ParsedTag? {
        guard let tag = NielsenTag(playerIdentifier: owner) else { return nil }
        return owner.count > maximumOwnerByteCount ? .tooLong : .nielsen(tag)
    }

    /// Returns the tags in the text of an event message, `type=nielsen_tag…payload=BASE64`; nil if the text has another
    /// form.
    ///
    /// NULs and percent escapes in the base64 are skipped, as in the public players; the padding may be missing.
    private static func tagsOfPayload(in bytes: Span<UInt8>) -> [ParsedTag]? {
        let label: StaticString = "payload="
        var index = bytes.firstIndex(of: label)
        guard index < bytes.count, bytes.firstIndex(of: "nielsen_tag") < bytes.count else { return nil }
        index += label.utf8CodeUnitCount
        var text: [UInt8] = []
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
            return [.invalid]
        }
        // A payload within a payload is not a known form.
        return content.span.firstIndex(of: label) < content.count ? [.other] : tags(in: content.span)
    }
}

extension NielsenTag {
    /// Whether an offset or the breakout has lost its leading zeros, and nothing else is missing.
    package var isUnpadded: Bool {
        guard formatDefect != nil else { return false }
        let pieces = ownerIdentifier.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst(4)
        guard pieces.count == 3 else { return false }
        return zip(pieces, [5, 5, 2]).contains { piece, length in
            (1..<length).contains(piece.count) && piece.allSatisfy { $0 &- 0x30 < 10 }
        }
    }
}
