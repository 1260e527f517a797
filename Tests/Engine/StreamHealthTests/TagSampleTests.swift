import NielsenID3
import StreamHealth
import Testing

@Suite struct TagSampleTests {
    /// The public DATA sample of 2015.
    private static let sample =
        "www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/_EMc37zfVgq_8KB7baUYfg==/ADQCAmgV1Xyvnynyg60kZO_Ejkcn2KLSr"
        + "TzyJpZZ-QeRn8GpMGTWI7-HrEKzghxyzCyBEoIDv2kA2g1QJmeYOl5GnwfrLDVK2bNLTbQxr1z9VBfxahBcQP5tqbjhyMzd"
        + "VqrMKuvvJO1jhtSXa9AroChb11ZUnG1WVJx2O4M=/33648/22847/00"

    private static func decode(_ text: Substring) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let bits = text.filter { $0 != "=" }.flatMap { character -> [Int] in
            let value = alphabet.firstIndex(of: character) ?? 0
            return (0..<6).map { value >> (5 - $0) & 1 }
        }
        return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
            UInt8(bits[start..<start + 8].reduce(0) { 2 * $0 + $1 })
        }
    }

    /// The builder reproduces the characters of a genuine tag from its fields, with the checksum recomputed.
    @Test func builder_withFieldsOfPublicSample_reproducesIt() {
        let pieces = Self.sample.split(separator: "/")
        let blob = Self.decode(pieces[3])
        #expect(blob.count == 125)
        let sum = blob[..<123].reduce(UInt16(0)) { $0 &+ UInt16($1) }
        let rebuilt = TagSample.owner(
            pcCID: Self.decode(pieces[1]), fdCID: Self.decode(pieces[2]),
            blob: blob[..<123] + [UInt8(sum >> 8), UInt8(sum & 0xFF)], pcOffset: 33648, fdOffset: 22847,
            breakout: "00")
        #expect(String(decoding: rebuilt, as: UTF8.self) == Self.sample)
    }

    @Test func sample_hasDeclaredLengthAndFields() throws {
        let sample = TagSample.data(3)
        #expect(sample.owner.count == 249)
        #expect(sample.bytes.count == 271)
        let tag = try sample.decoded()
        #expect(TagPolicy().problems(of: tag) == [])
        #expect(tag.kind == .data)
        #expect(tag.sequence == 103)
        #expect(tag.firstTime == TagSample.noon + 30)
        #expect(tag.lastTime == TagSample.noon + 40)
        #expect(tag.unusedBlockCount == 2)
        let info = try TagSample.info(sequence: 9, position: 20).decoded()
        #expect(TagPolicy().problems(of: info) == [])
        #expect(info.kind == .info)
    }
}
