import ByteReading
import ID3v2
import MarketProfiles
import NielsenID3

/// One tag in the argument of `sendID3`.
enum HandedTag: Sendable, Hashable {
    /// A Nielsen tag, damaged or not.
    case nielsen(NielsenTag)
    /// A tag of another owner, or any other text.
    case other
    /// Empty text, or no value.
    case empty
    /// Not text, or undecodable base64.
    case unreadable
    /// A Nielsen tag that is too long to store.
    case tooLong

    /// The longest owner identifier that is stored; a valid one has 249 bytes.
    static let maximumOwnerByteCount = 32_768
    /// The longest input that is parsed, in bytes.
    static let maximumInputByteCount = 1 << 20

    private var isNielsen: Bool {
        switch self {
        case .nielsen, .tooLong: true
        case .other, .empty, .unreadable: false
        }
    }

    /// Returns the tags in a value, at least one.
    static func tags(in value: MetadataValue?) -> [HandedTag] {
        switch value {
        case nil: [.empty]
        case .text(let text): text.isEmpty ? [.empty] : tags(in: bytes(of: text))
        default: [.unreadable]
        }
    }

    /// Returns the bytes of a text: one for each character up to U+00FF, or its UTF-8 if it has other characters.
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

    /// Returns bytes as text, with one character for each byte.
    static func text(of bytes: [UInt8]) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var utf8: [UInt8] = []
        utf8.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            if byte < 0x80 {
                utf8.append(byte)
            } else {
                utf8.append(0xC0 | byte >> 6)
                utf8.append(0x80 | byte & 0x3F)
            }
        }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// Returns the tags in bytes, whose form is recognized from their content.
    static func tags(in bytes: [UInt8]) -> [HandedTag] {
        guard !bytes.isEmpty else { return [.empty] }
        guard bytes.count <= maximumInputByteCount else { return [.tooLong] }
        let whole = tagsOfID3(in: bytes)
        // In a damaged tag the frame may not be found, even if the owner identifier is intact.
        if whole.contains(where: \.isNielsen) { return whole }
        if let owner = owner(in: bytes.span, from: 0) { return [owner] }
        if !whole.isEmpty { return whole }
        if let payload = TagPayload(bytes) { return payload.tags }
        return [.other]
    }

    /// Returns one tag for each private frame of a whole ID3 tag; empty if there is no ID3 tag, or no such frame.
    private static func tagsOfID3(in bytes: [UInt8]) -> [HandedTag] {
        guard bytes.starts(with: "ID3".utf8) else { return [] }
        var tags: [HandedTag] = []
        do throws(ID3Error) {
            let tag = try ID3Tag(bytes.span)
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

    private static func ofFrame(_ frame: borrowing PrivateFrame) -> HandedTag {
        kept(frame.ownerIdentifier) ?? .other
    }

    /// Returns the tag of the first owner identifier in bytes, which extends to the next NUL; nil if there is none.
    private static func owner(in bytes: Span<UInt8>, from start: Int) -> HandedTag? {
        let domain: StaticString = "www.nielsen.com/"
        var position = start
        while true {
            position = bytes.firstIndex(of: UInt8(ascii: "w"), from: position)
            guard position + 16 <= bytes.count else { return nil }
            if bytes.extracting(position..<position + 16).equals(domain) { break }
            position += 1
        }
        let end = bytes.firstIndex(of: 0, from: position)
        return kept(bytes.extracting(position..<end))
    }

    private static func kept(_ owner: Span<UInt8>) -> HandedTag? {
        guard let tag = NielsenTag(playerIdentifier: owner) else { return nil }
        return owner.count > maximumOwnerByteCount ? .tooLong : .nielsen(tag)
    }
}

extension NielsenTag {
    /// Whether an offset or the breakout has lost its leading zeros, and nothing else is missing.
    var isUnpadded: Bool {
        guard formatDefect != nil else { return false }
        let pieces = ownerIdentifier.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst(4)
        guard pieces.count == 3 else { return false }
        return zip(pieces, [5, 5, 2]).contains { piece, length in
            (1..<length).contains(piece.count) && piece.allSatisfy { $0 &- 0x30 < 10 }
        }
    }
}
