import ByteReading
import Foundation
import NielsenID3
import Testing

@testable import PlayerSession

/// Every form of a tag results in the same tag.
@Suite struct ParsedTagTests {
    static let owner =
        "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/" + String(repeating: "a", count: 22) + "==/"
        + String(repeating: "b", count: 167) + "=/00120/00130/00"

    /// Returns the bytes of an ID3 tag with a private frame for each owner.
    private static func id3(_ owners: [String], version: UInt8 = 4) -> [UInt8] {
        var frames: [UInt8] = []
        for owner in owners {
            let content = Array(owner.utf8) + [0, 0x41]
            frames += Array("PRIV".utf8) + size(content.count, isSynchsafe: version == 4) + [0, 0] + content
        }
        return Array("ID3".utf8) + [version, 0, 0] + size(frames.count, isSynchsafe: true) + frames
    }

    private static func size(_ count: Int, isSynchsafe: Bool) -> [UInt8] {
        (0..<4).reversed().map { UInt8(count >> ($0 * (isSynchsafe ? 7 : 8)) & (isSynchsafe ? 0x7F : 0xFF)) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// A text with only the characters U+0000 to U+00FF has one byte for each character.
    ///
    /// A text with any other character is UTF-8.
    @Test func text_ofLatin1Characters_hasOneBytePerCharacter() {
        let all = (0...255).map { UInt8($0) }
        for bytes in [all, [], Array("www.nielsen.com/".utf8), [0x7F, 0x80, 0xFF, 0x00]] + all.map({ [$0] }) {
            #expect(ParsedTag.bytes(of: Self.text(bytes)) == bytes)
        }
        #expect(ParsedTag.bytes(of: "a\u{E9}\u{1F6A2}") == Array("a\u{E9}\u{1F6A2}".utf8))
    }

    /// Bytes that are not UTF-8, and the text with one character for each of them, are the same tag.
    @Test func tag_withEveryByteExceptNUL_preservesItsBytes() {
        let owner = Array("www.nielsen.com/".utf8) + (1...255).map { UInt8($0) }
        for tags in [ParsedTag.tags(in: owner.span), ParsedTag.tags(in: .text(Self.text(owner)))] {
            guard case .nielsen(let tag)? = tags.first, tags.count == 1 else {
                Issue.record("\(tags)")
                continue
            }
            #expect(tag.ownerIdentifier == owner)
        }
    }

    private static func owners(_ text: String) -> [String] {
        ParsedTag.tags(in: .text(text)).map { tag in
            switch tag {
            case .nielsen(let tag): String(decoding: tag.ownerIdentifier, as: UTF8.self)
            default: "\(tag)"
            }
        }
    }

    static var forms: [String] {
        let tag = id3([owner])
        let base64 = Data(tag).base64EncodedString()
        let urlSafe = base64.replacing("+", with: "-").replacing("/", with: "_")
        let unpadded = base64.replacing("=", with: "")
        return [
            owner, owner + "\u{0}A", "PRIV\u{0}\u{0}\u{1}\u{7B}\u{0}\u{0}" + owner + "\u{0}A", text(tag),
            text(id3([owner], version: 3)), text(Array("emsg".utf8) + [0, 0] + tag),
            "type=nielsen_tag;id=7;payload=\(base64)", "type=nielsen_tag;payload=\(unpadded)",
            "type=nielsen_tag&payload=\(urlSafe)&id=7",
            "type=nielsen_tag payload=\(base64.prefix(8))\u{0}\(base64.dropFirst(8))",
            "type=nielsen_tag;payload=\(base64.replacing("=", with: "%3D"))",
            "type=nielsen_tag;payload=" + Data(owner.utf8).base64EncodedString(),
        ]
    }

    @Test(arguments: forms) func tag_inAnyForm_hasTheSameOwnerIdentifier(form: String) {
        #expect(Self.owners(form) == [Self.owner])
    }

    @Test func tag_withSeveralFrames_isOneTagPerPRIVFrame() {
        let bytes = Self.id3([Self.owner, "com.example.ads", Self.owner])
        #expect(Self.owners(Self.text(bytes)) == [Self.owner, "other", Self.owner])
    }

    @Test func tag_withBlanks_preservesThem() {
        let owner = "www.nielsen.com/ a/ \tb"
        #expect(Self.owners("x\(owner)") == [owner])
    }

    @Test(arguments: [
        ("", "empty"), ("type=nielsen_tag;payload=", "invalid"),
        ("type=nielsen_tag;payload=====", "invalid"),
        ("type=nielsen_tag;payload=ab*d", "invalid"), ("type=nielsen_tag;payload=a", "invalid"),
        ("payload=QUJD", "other"), ("type=nielsen_tag;payload=QUJD", "other"),
        ("com.apple.streaming.transportStreamTimestamp", "other"), ("1", "other"), (" ", "other"),
        ("www.nielsen.com", "other"), ("ID3", "other"), ("WWW.NIELSEN.COM/", "other"),
    ])
    func text_withoutTag_isEmptyInvalidOrOther(text: String, kind: String) {
        #expect(Self.owners(text) == [kind])
    }

    @Test func nonTextValue_isInvalid() {
        for value in [1, true, [], ["a": 1]] as [MetadataValue] {
            #expect(ParsedTag.tags(in: value) == [.invalid])
        }
        #expect(ParsedTag.tags(in: nil) == [.empty])
    }

    /// A truncated tag has its owner identifier, or the rest of it, so that damage loses no tag.
    @Test func tag_truncatedAfterTheDomain_isStillATag() {
        let bytes = Self.id3([Self.owner])
        for length in 36..<bytes.count {
            let owners = Self.owners(Self.text(Array(bytes[..<length])))
            #expect(owners.count == 1 && owners[0].hasPrefix("www.nielsen.com/"), "\(length)")
        }
    }

    @Test(arguments: [
        ("/00120/00130/00", false), ("/0/130/00", true), ("/00120/00130/0", true), ("/00120//00", false),
        ("/0012x/00130/00", false), ("/120/130", false),
    ])
    func offsets_withoutPaddingZeros_areUnpadded(tail: String, isUnpadded: Bool) throws {
        let whole = Self.owner.dropLast(15) + tail
        let bytes = Array(whole.utf8)
        let decoded = NielsenTag(playerIdentifier: bytes.span)
        #expect(try #require(decoded).isUnpadded == isUnpadded)
    }

    @Test func owner_overMaximumLength_isTooLong() {
        let long = "www.nielsen.com/" + String(repeating: "x", count: ParsedTag.maximumOwnerByteCount)
        #expect(ParsedTag.tags(in: .text(long)) == [.tooLong])
    }
}
