import ID3v2
import NielsenID3
import TagRecord

/// Two of the public sample owner identifiers, and records with them.
enum SampleOwners {
    static let data =
        "www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/_EMc37zfVgq_8KB7baUYfg==/ADQCAmgV1Xyvnynyg60kZO_Ejkcn2KLSrTzyJpZZ"
        + "-QeRn8GpMGTWI7-HrEKzghxyzCyBEoIDv2kA2g1QJmeYOl5GnwfrLDVK2bNLTbQxr1z9VBfxahBcQP5tqbjhyMzdVqrMKuvvJO1jhtSX"
        + "a9AroChb11ZUnG1WVJx2O4M=/33648/22847/00"

    static let info =
        "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/X100zdCIGeIlgZnkYj6UvQ==/AAAB2Jz2_k74GXSzx4npHuI_JwJd3QSUpW30rDkG"
        + "TcbHEzIMWleCzM-uvNOP9fzJcQMWQLJqzXMCAxParOb5sGijSV9dNM3QiBniJYGZ5GI-lL1fXTTN0IgZ4iWBmeRiPpS9AAAAAAAAAAAA"
        + "AAAAAAAAAFJWFM5SVhTONNU=/00000/00000/00"

    static let carriages: [Carriage] = [
        .transportStream(pid: 258), .packedAudio, .segmentFront, .metadataBox, .player,
        .eventMessage(
            .init(
                schemeIDURI: "https://aomedia.org/emsg/ID3", value: "a,\"b\"", version: 1, id: 7,
                duration: nil)),
        .eventMessage(.init(schemeIDURI: "", value: "", version: 0, id: .max, duration: 90_000)),
    ]

    static func tag(_ owner: String) -> NielsenTag? { NielsenTag(ownerIdentifier: Array(owner.utf8).span) }

    /// Returns the tag of the contract's example.
    static func example() -> TagOccurrence? {
        tag(data).map {
            TagOccurrence(
                tag: $0,
                origin: TagOrigin.recording(
                    TagPlace(
                        source: "media/demo/index.m3u8", renditions: ["v360/index.m3u8"],
                        segment: "seg00003.ts",
                        mediaSequence: 3, programDateTime: 1_795_176_019_200)),
                time: MediaTimestamp(pts: 1_728_000), seconds: 19.2, carriage: .transportStream(pid: 258))
        }
    }

    /// Returns records of every carriage, with and without each optional field.
    static func records() -> [TagOccurrence] {
        var records: [TagOccurrence] = []
        for carriage in carriages {
            for bits in 0..<64 {
                guard let tag = tag(bits & 1 == 0 ? data : info) else { continue }
                let origin = TagOrigin.recording(
                    TagPlace(
                        source: "http://host/ä?x=1",
                        renditions: bits & 2 == 0 ? [] : ["v1/index.m3u8", "a/index.m3u8"],
                        segment: bits & 4 == 0 ? nil : "seg,1.ts", mediaSequence: bits & 8 == 0 ? nil : .max,
                        programDateTime: bits & 16 == 0 ? nil : -1))
                records.append(
                    TagOccurrence(
                        tag: tag, origin: origin,
                        time: bits & 32 == 0 ? nil : MediaTimestamp(ticks: .max, timescale: 48_000),
                        seconds: bits & 32 == 0 ? nil : -1.5, carriage: carriage,
                        isTruncated: bits & 3 == 3))
            }
        }
        return records
    }
}
