import Foundation
import Testing

@testable import StreamSynthesis

struct SyntheticTagTests {
    /// The owner identifiers of public documentation.
    ///
    /// The builder must reproduce them from their fields.
    static let publicSamples = [
        "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/pI-X5FFk07770SXf2ZbI6g==/CE0C61TsDo0jIrNn9N2yTPe6nVG3dHZHfgS"
            + "52fJeQjf9fJCga9tj4OW4NXPZ9fI1mx0gfYUPBXnjqolHemZPtn_FCoNg8Dqw8-Auruf15fU04pJfXTTN0IgZ4iWBmeRiPpS9"
            + "X100zdCIGeIlgZnkYj6UvVjmPIdY5jyRQTA=/00000/21778/00",
        "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/X100zdCIGeIlgZnkYj6UvQ==/AAAB2Jz2_k74GXSzx4npHuI_JwJd3QSUpW3"
            + "0rDkGTcbHEzIMWleCzM-uvNOP9fzJcQMWQLJqzXMCAxParOb5sGijSV9dNM3QiBniJYGZ5GI-lL1fXTTN0IgZ4iWBmeRiPpS9"
            + "AAAAAAAAAAAAAAAAAAAAAFJWFM5SVhTONNU=/00000/00000/00",
        "www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/_EMc37zfVgq_8KB7baUYfg==/ADQCAmgV1Xyvnynyg60kZO_Ejkcn2KLSrTz"
            + "yJpZZ-QeRn8GpMGTWI7-HrEKzghxyzCyBEoIDv2kA2g1QJmeYOl5GnwfrLDVK2bNLTbQxr1z9VBfxahBcQP5tqbjhyMzdVqrM"
            + "KuvvJO1jhtSXa9AroChb11ZUnG1WVJx2O4M=/33648/22847/00",
    ]

    @Test(arguments: publicSamples)
    func ownerIdentifier_fromTheFieldsOfAPublicSample_equalsTheSample(sample: String) throws {
        let pieces = sample.split(separator: "/").map(String.init)
        let blob = try Self.decoded(pieces[3])
        let kind = try #require(SyntheticTag.Kind(rawValue: blob[2]))
        var tag = SyntheticTag(
            kind: kind, sequence: UInt16(Self.number(blob[0..<2])),
            firstTime: UInt32(Self.number(blob[115..<119])),
            lastTime: UInt32(Self.number(blob[119..<123])), blocks: Array(blob[3..<115]))
        tag.pcCID = try Self.decoded(pieces[1])
        tag.fdCID = try Self.decoded(pieces[2])
        tag.pcOffset = try #require(Int(pieces[4]))
        tag.fdOffset = try #require(Int(pieces[5]))
        #expect(String(decoding: tag.ownerIdentifier, as: UTF8.self) == sample)
    }

    @Test(arguments: [SyntheticTag.Kind.info, .data])
    func bytes_ofBothKinds_followTheLayoutTable(kind: SyntheticTag.Kind) {
        var source = SplitMix64(state: 7)
        let tag = SyntheticTag(
            kind: kind, sequence: 513, firstTime: 1, lastTime: 2,
            blocks: SyntheticTag.blocks(kind: kind, from: &source))
        let bytes = tag.bytes
        #expect(bytes.count == 271 && SyntheticTag.byteCount == 271)
        #expect(Array(bytes[0..<3]) == Array("ID3".utf8))
        #expect(Array(bytes[3..<10]) == [4, 0, 0x20, 0, 0, 2, 5])
        #expect(Array(bytes[10..<14]) == Array("PRIV".utf8))
        #expect(Array(bytes[14..<20]) == [0, 0, 1, 0x7B, 0, 0])
        #expect(bytes[269] == 0 && bytes[270] == 0x41)
        let owner = String(decoding: bytes[20..<269], as: UTF8.self)
        let pieces = owner.split(separator: "/", omittingEmptySubsequences: false)
        #expect(pieces.map(\.count) == [15, 24, 24, 168, 5, 5, 2])
        #expect(tag.blob.prefix(3) == [2, 1, kind.rawValue])
    }

    @Test func blocks_ofBothKinds_areFilledLikePublicSamples() {
        var source = SplitMix64(state: 7)
        let data = SyntheticTag.blocks(kind: .data, from: &source)
        let info = SyntheticTag.blocks(kind: .info, from: &source)
        #expect(data.count == 112 && info.count == 112)
        #expect(Array(data[80..<96]) == SyntheticTag.nullContentID)
        #expect(Array(data[96..<112]) == SyntheticTag.nullContentID)
        #expect(Array(info[64..<80]) == SyntheticTag.nullContentID)
        #expect(Array(info[96..<112]) == [UInt8](repeating: 0, count: 16))
    }

    @Test func checksum_withAnyByteChanged_differs() {
        var source = SplitMix64(state: 9)
        let tag = SyntheticTag(
            kind: .data, sequence: 1, firstTime: 10, lastTime: 20,
            blocks: SyntheticTag.blocks(kind: .data, from: &source))
        let sum = Self.number(tag.blob[123..<125])
        #expect(sum == tag.blob[0..<123].reduce(0) { $0 + Int($1) } % 65_536)
        for index in 0..<112 {
            var other = tag
            other.blocks[index] &+= 1
            #expect(Self.number(other.blob[123..<125]) != sum)
        }
    }

    @Test func splitMix64_withThePublishedSeed_generatesThePublishedNumbers() {
        var generator = SplitMix64(state: 1_234_567)
        let published: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(published.map { _ in generator.next() } == published)
    }

    /// Returns the end of the time span of a tag of 271 bytes, in Unix seconds.
    static func lastTime(of tag: [UInt8]) throws -> Int {
        let pieces = String(decoding: tag[20..<269], as: UTF8.self).split(separator: "/")
        return number(try decoded(String(pieces[3]))[119..<123])
    }

    private static func decoded(_ text: String) throws -> [UInt8] {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        return Array(try #require(Data(base64Encoded: standard)))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
