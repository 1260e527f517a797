/// A fault in a synthetic stream, named after the check that detects it.
///
/// A fault affects only the property in its ID. Unless documented otherwise, it affects one DATA tag in the middle of
/// the stream, in every rendition.
package enum SynthesisFault: String, Sendable, Hashable, CaseIterable {
    /// The PMT has neither descriptor 0x25 nor 0x26.
    case pmtDescriptors = "carriage.pmt-descriptors"
    /// The PMT declares type 0x06 for the ID3 stream.
    case streamType = "carriage.stream-type"
    /// The PES packet of one tag has no PTS.
    case ptsMissing = "carriage.pts-missing"
    /// One PES packet ends in the middle of its tag, in the second transport packet, and is not continued.
    case pesIncomplete = "carriage.pes-incomplete"
    /// One tag is split into three transport packets.
    case packetsPerTag = "carriage.packets-per-tag"
    /// A transport packet is missing between another owner's tag and a Nielsen tag of the same segment.
    case continuity = "carriage.continuity"
    /// All event message boxes have an unknown scheme.
    case emsgForm = "carriage.emsg-form"
    /// All tags belong to another owner.
    case ownerPresent = "carriage.owner-present"
    /// The size in one tag's frame header extends past the end of the tag.
    case id3Malformed = "id3.malformed"
    /// The header of one tag has no flag set.
    case tagHeader = "tag.header"
    /// One tag ends with `B`.
    case tagTail = "tag.tail"
    /// One owner identifier has a `+`, from the other base64 alphabet, in its first content ID.
    case tagFormat = "tag.format"
    /// One checksum is too large by one.
    case tagChecksum = "tag.checksum"
    /// One breakout is 01.
    case tagBreakout = "tag.breakout"
    /// DATA tags of 12 seconds occur only every 16 seconds: too few tags, but no gap.
    case tagCount = "tag.count"
    /// One tag is lost, so that its number and its time are missing.
    case sequenceStep = "sequence.step"
    /// The time of two tags is not covered, with continuous numbers.
    case timeGap = "time.gap"
    /// One tag begins 10 seconds before the previous tag ends, and spans 12 seconds.
    case timeOverlap = "time.overlap"
    /// One tag spans 14 seconds.
    case timeDuration = "time.duration"
    /// The tags' clock runs at five sixths of the stream's clock.
    case timeRate = "time.rate"
    /// The PTS of every tag is later than the adjacent audio, by 20 seconds plus a segment duration.
    case timeAudioSync = "time.audio-sync"
    /// The times of the tags are an hour before EXT-X-PROGRAM-DATE-TIME.
    case timeWallClock = "time.wall-clock"
    /// The second INFO tag occurs half a DATA tag after 340 seconds.
    case infoLate = "info.late"
    /// The INFO tags have a final distributor ID.
    case infoCIDs = "info.cids"
    /// The INFO tags have an offset.
    case infoOffsets = "info.offsets"
    /// One tag has a null program content ID but keeps its program offset.
    case offsetOfNull = "cid.offset-of-null"
    /// The program content ID is null in five tags in the middle.
    case nullRun = "cid.null-run"
    /// From the middle on, the program offset is 20 seconds ahead.
    case offsetAdvance = "cid.offset-advance"
    /// The program content ID changes in the middle.
    case cidChange = "cid.change"
    /// In the last rendition, two blocks of one tag are swapped, so that the tag differs but is not missing.
    case renditionTagsDiffer = "rendition.tags-differ"
    /// In the last rendition, one tag is delayed by 47 audio frames, slightly more than a second.
    case renditionTimeDiffers = "rendition.time-differs"

    /// The ID, as listed in checks.md.
    package var id: String { rawValue }

    /// Returns the fault with this ID, which must match exactly.
    package static func named(_ id: String) throws(SynthesisError) -> SynthesisFault {
        guard let fault = SynthesisFault(rawValue: id) else { throw .unknownFault(id: id) }
        return fault
    }

    /// A one-line description of the change, as in the second column of docs/faults.md.
    package var change: String {
        switch self {
        case .pmtDescriptors: "the PMT has neither descriptor 0x25 nor 0x26"
        case .streamType: "the PMT has type 0x06 for the ID3 stream, with its descriptors unchanged"
        case .ptsMissing: "the PES packet of one DATA tag has no PTS"
        case .pesIncomplete: "the PES packet of one DATA tag ends after 200 of its 271 bytes"
        case .packetsPerTag: "the PES packet of one DATA tag spans three transport packets"
        case .continuity:
            "a tag of another owner precedes one DATA tag, and the counter skips a value between them"
        case .emsgForm: "every emsg has the scheme urn:example:synthetic"
        case .ownerPresent: "every tag has another owner"
        case .id3Malformed: "the frame in one DATA tag extends 4 bytes beyond the end of the tag"
        case .tagHeader: "the flags in the header of one DATA tag are 00 instead of 20"
        case .tagTail: "one DATA tag ends with B instead of A"
        case .tagFormat: "the fourth character of the PC CID of one DATA tag is a +"
        case .tagChecksum: "the checksum of one DATA tag is too large by one"
        case .tagBreakout: "the breakout of one DATA tag is 01"
        case .tagCount: "DATA tags span 12 s and come every 16 s"
        case .sequenceStep: "one DATA tag is missing, with its number and its time"
        case .timeGap: "the time of two DATA tags is not covered, but the numbers continue"
        case .timeOverlap: "one DATA tag starts 10 s before the end of the previous one, and lasts 12 s"
        case .timeDuration: "one DATA tag starts early and spans 14 s"
        case .timeRate: "the tag clock runs at five sixths of the stream clock: 10 s of tags take 12 s"
        case .timeAudioSync: "the PTS of every tag is too high by 20 s plus the length of a segment"
        case .timeWallClock: "the times in all tags are an hour earlier"
        case .infoLate: "the second INFO tag comes 345 s after the first"
        case .infoCIDs: "INFO tags have an FD CID"
        case .infoOffsets: "INFO tags have an FD offset of 1"
        case .offsetOfNull: "one DATA tag has the null PC CID but keeps its PC offset"
        case .nullRun: "the PC CID of five DATA tags is null, with an offset of 0"
        case .offsetAdvance: "the PC offset is 20 s too high from the middle on"
        case .cidChange: "the PC CID changes in the middle"
        case .renditionTagsDiffer: "the first two blocks of one DATA tag are swapped in the last rendition"
        case .renditionTimeDiffers: "one DATA tag of the last rendition comes 47 audio frames (1.003 s) later"
        }
    }

    /// Returns the minimum duration in seconds of a stream in which the fault is detectable.
    ///
    /// - Parameter tagInterval: The interval between DATA tags, in seconds.
    package func minimumDuration(tagInterval: Int) -> Double {
        switch self {
        case .pmtDescriptors, .streamType, .emsgForm, .infoCIDs, .infoOffsets: 1
        case .ownerPresent: 30
        case .tagCount: 120
        // The drift must exceed two seconds over four tags.
        case .timeRate: max(30, Double(6 * tagInterval))
        case .infoLate: 400
        case .nullRun: Double(10 * tagInterval)
        case .timeGap: Double(6 * tagInterval)
        case .timeWallClock, .timeAudioSync: Double(tagInterval)
        default: Double(5 * tagInterval)
        }
    }

    /// A duration in seconds at which the fault is detected with as few other findings as possible.
    package var fittingDuration: Double {
        switch self {
        case .infoLate: 400
        // From one minute on, the missing tags would also be reported.
        case .ownerPresent: 45
        default: SynthesisSettings().duration
        }
    }

    /// The only container that supports the fault, or nil if there are several.
    package var container: SynthesisSettings.Container? {
        switch self {
        case .pmtDescriptors, .streamType, .ptsMissing, .pesIncomplete, .packetsPerTag, .continuity:
            .transportStream
        case .emsgForm: .fragmentedMP4
        default: nil
        }
    }
}
