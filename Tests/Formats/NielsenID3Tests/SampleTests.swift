import Foundation
import ID3v2
import NielsenID3
import TestSupport
import Testing

/// Compares the public samples with the values in the documents.
@Suite struct SampleTests {
    @Test func data2017_hasTheDocumentedValues() throws {
        let tag = try #require(Samples.decode(Samples.tag(Samples.data2017)))
        #expect(tag.ownerIdentifier == Array(Samples.data2017.utf8))
        #expect(tag.kind == .data)
        #expect(tag.sequence == 2125)
        #expect(tag.firstTime == 1_491_483_783)  // 2017-04-06 13:03:03 UTC
        #expect(tag.lastTime == 1_491_483_793)
        #expect(tag.duration == 10)
        #expect(tag.pcCID == .null)
        #expect(tag.fdCID?.text == "pI-X5FFk07770SXf2ZbI6g==")
        #expect(tag.pcOffset == 0)
        #expect(tag.fdOffset == 21_778)
        #expect(tag.breakout == 0)
        #expect(tag.storedChecksum == 0x4130)
        #expect(tag.isChecksumValid == true)
        #expect(tag.unusedBlockCount == 2)
        #expect(tag.hasValidHeader && tag.hasValidTail)
        #expect(tag.formatDefect == nil)
        #expect(tag.malformation == nil)
    }

    @Test func info2013_hasTheDocumentedValues() throws {
        let tag = try #require(Samples.decode(Samples.tag(Samples.info2013)))
        #expect(tag.kind == .info)
        #expect(tag.sequence == 0)
        #expect(tag.firstTime == 1_381_373_134)  // 2013-10-10 02:45:34 UTC
        #expect(tag.duration == 0)
        #expect(tag.pcCID == .null)
        #expect(tag.fdCID == .null)
        #expect(tag.pcOffset == 0)
        #expect(tag.fdOffset == 0)
        #expect(tag.isChecksumValid == true)
        #expect(tag.hasValidHeader && tag.hasValidTail)
    }

    @Test func data2015_hasTheDocumentedValues() throws {
        let tag = try #require(Samples.decode(Samples.tag(Samples.data2015)))
        #expect(tag.kind == .data)
        #expect(tag.sequence == 52)
        #expect(tag.firstTime == 1_448_385_645)  // 2015-11-24 17:20:45 UTC
        #expect(tag.lastTime == 1_448_385_654)
        #expect(tag.pcCID?.text == "065H2g6E7ZyQ5UdmMAbbpg==")
        #expect(tag.fdCID?.text == "_EMc37zfVgq_8KB7baUYfg==")
        #expect(tag.pcOffset == 33_648)
        #expect(tag.fdOffset == 22_847)
        #expect(tag.storedChecksum == 0x3B83)
        #expect(tag.computedChecksum == 0x3B83)
        #expect(tag.hasValidHeader && tag.hasValidTail)
    }

    /// Foundation encodes a blob with one block that is the null CID, or only a half of it.
    @Test(arguments: 0..<7) func unusedBlockCount_countsCompleteNullCIDsOnly(block: Int) throws {
        let null = [UInt8](try #require(Data(base64Encoded: "X100zdCIGeIlgZnkYj6UvQ==")))
        let zeros = [UInt8](repeating: 0, count: 8)
        for (content, count) in [
            (null, 1), (Array(null[..<8]) + zeros, 0), (zeros + Array(null[8...]), 0),
        ] {
            var parts = Samples.data2017.split(separator: "/").map(String.init)
            let standard = parts[3].replacing("-", with: "+").replacing("_", with: "/").prefix(167) + "="
            var blob = [UInt8](try #require(Data(base64Encoded: String(standard))))
            blob.replaceSubrange(3..<115, with: repeatElement(0, count: 112))
            blob.replaceSubrange(3 + 16 * block..<19 + 16 * block, with: content)
            let encoded = Data(blob).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            parts[3] = String(encoded.prefix(167) + parts[3].dropFirst(167))
            let tag = try #require(Samples.decode(Samples.tag(parts.joined(separator: "/"))))
            #expect(tag.unusedBlockCount == count, "\(content)")
        }
    }

    /// The bytes of a tag, the parsed tag and the owner identifier decode to the same result.
    @Test(arguments: Samples.all)
    func tag_fromEachInputForm_isTheSame(owner: String) throws {
        let bytes = Samples.tag(owner)
        let exact = try #require(Samples.decode(bytes))
        let borrowed = try ID3Tag(bytes.span)
        let general = NielsenTag(tag: borrowed)
        #expect(general == exact)
        #expect(Samples.decode(owner: Array(owner.utf8)) == exact)
    }

    /// Bytes after the tag, which a PES packet may have, change nothing.
    @Test func tag_withTrailingBytes_isTheSame() {
        let bytes = Samples.tag(Samples.data2015)
        let alone = Samples.decode(bytes)
        #expect(alone != nil)
        #expect(Samples.decode(bytes + [0xFF, 0xFF, 0xFF]) == alone)
        #expect(Samples.decode(bytes + bytes) == alone)
    }

    /// A packager joins the frames of several tags, and others, into one tag.
    @Test func tagWithSeveralNielsenFrames_isEachOfThem() {
        let owners = Samples.all
        let frames = owners.map { Array(Samples.tag($0).dropFirst(10)) }
        let other = [0x50, 0x52, 0x49, 0x56, 0, 0, 0, 3, 0, 0] + Array("x\0A".utf8)
        let body = frames[0] + other + frames[1] + frames[2]
        let size = body.count
        let bytes = Array(Samples.tag(owners[0])[..<6]) + [0, 0, UInt8(size >> 7), UInt8(size & 0x7F)] + body
        let tags = Samples.decodeAll(bytes)
        #expect(tags.map { String(decoding: $0.ownerIdentifier, as: UTF8.self) } == owners)
        #expect(tags.map(\.kind) == [.data, .info, .data])
        #expect(tags.allSatisfy { !$0.hasValidHeader })
        #expect(Samples.decode(bytes) == tags.first)
    }

    @Test func tagWithOneNielsenFrame_orNone_isThatOne() {
        for owner in Samples.all {
            let tag = Samples.tag(owner)
            #expect(Samples.decodeAll(tag) == [Samples.decode(tag)])
            let short = Array(tag.dropLast())
            #expect(Samples.decodeAll(short) == [Samples.decode(short)])
        }
        #expect(Samples.decodeAll([0x49, 0x44, 0x33]).isEmpty)
        #expect(Samples.decodeAll([]).isEmpty)
    }

    @Test func nullCID_hasTheDefinedText() {
        #expect(ContentID.null.text == "X100zdCIGeIlgZnkYj6UvQ==")
        #expect(ContentID.null.isNull)
        #expect(!ContentID(high: 0, low: 0).isNull)
        #expect(ContentID(high: 0, low: 0).text == "AAAAAAAAAAAAAAAAAAAAAA==")
        #expect(ContentID(high: .max, low: .max).description == "_____________________w==")
    }

    /// Compares the text for each bit of a CID with the result of another encoder.
    @Test func contentIDText_withEachBitSet_matchesAnotherEncoder() {
        for bit in 0..<128 {
            var bytes = [UInt8](repeating: 0, count: 16)
            bytes[bit / 8] = 0x80 >> (bit % 8)
            let id =
                bit < 64
                ? ContentID(high: 1 << (63 - bit), low: 0) : ContentID(high: 0, low: 1 << (127 - bit))
            #expect(id.text == SyntheticTag.base64(bytes))
            var tag = SyntheticTag()
            tag.pcCID = bytes
            #expect(Samples.decode(owner: Array(tag.owner.utf8))?.pcCID == id)
        }
    }
}
