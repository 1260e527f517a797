/// A fault to put into a synthetic stream, named by the check that it makes hit.
///
/// A fault changes what its id says and leaves the rest right. Where not said otherwise it is in one DATA tag,
/// the one in the middle of the stream, in every rendition.
public enum SynthesisFault: String, Sendable, Hashable, CaseIterable {
    /// The PMT has neither descriptor 0x25 nor 0x26.
    case pmtDescriptors = "carriage.pmt-descriptors"
    /// The PMT says type 0x06 for the ID3 stream.
    case streamType = "carriage.stream-type"
    /// The PES packet of one tag has no PTS.
    case ptsMissing = "carriage.pts-missing"
    /// One PES packet ends in the middle of its tag, and nothing continues it.
    case pesIncomplete = "carriage.pes-incomplete"
    /// One tag lies in three transport packets.
    case packetsPerTag = "carriage.packets-per-tag"
    /// A transport packet is missing between another owner's tag and a Nielsen tag of the same segment.
    case continuity = "carriage.continuity"
    /// Every event message box has a scheme that no table knows.
    case emsgForm = "carriage.emsg-form"
    /// All tags are another owner's.
    case ownerPresent = "carriage.owner-present"
    /// The size in one tag's frame header is beyond the tag's end.
    case id3Malformed = "id3.malformed"
    /// One tag's header has no flag set.
    case tagHeader = "tag.header"
    /// One tag ends with `B`.
    case tagTail = "tag.tail"
    /// One owner identifier has a `+`, of the other base64 alphabet, in its first content id.
    case tagFormat = "tag.format"
    /// One checksum is one too large.
    case tagChecksum = "tag.checksum"
    /// One breakout is 01.
    case tagBreakout = "tag.breakout"
    /// DATA tags of 12 seconds come only every 16 seconds.
    case tagCount = "tag.count"
    /// One tag is lost: its number and its time are missing.
    case sequenceStep = "sequence.step"
    /// Nothing is heard during the time of two tags; the numbers run on.
    case timeGap = "time.gap"
    /// One tag begins a tag's length too early and ends within 12 seconds of that.
    case timeOverlap = "time.overlap"
    /// One tag spans 14 seconds.
    case timeDuration = "time.duration"
    /// The tags' clock runs at five sixths of the stream's.
    case timeRate = "time.rate"
    /// Every tag's PTS is 20 seconds ahead of the audio beside it.
    case timeAudioSync = "time.audio-sync"
    /// The tags' times are an hour behind EXT-X-PROGRAM-DATE-TIME.
    case timeWallClock = "time.wall-clock"
    /// The second INFO tag comes half a DATA tag after 340 seconds.
    case infoLate = "info.late"
    /// The INFO tags have a final distributor id.
    case infoCIDs = "info.cids"
    /// The INFO tags have an offset.
    case infoOffsets = "info.offsets"
    /// One tag has no programme content id, and its offset all the same.
    case offsetOfNull = "cid.offset-of-null"
    /// The programme content id is null for five tags in the middle.
    case nullRun = "cid.null-run"
    /// The programme offset steps 20 seconds ahead in the middle, and stays there.
    case offsetAdvance = "cid.offset-advance"
    /// The programme content id is another one from the middle on.
    case cidChange = "cid.change"
    /// The last rendition lacks one tag.
    case renditionTagsDiffer = "rendition.tags-differ"
    /// In the last rendition one tag has a PTS one second later.
    case renditionTimeDiffers = "rendition.time-differs"

    /// The id, as checks.md has it.
    public var id: String { rawValue }

    /// The fault with this id, exactly as it is written.
    public static func named(_ id: String) throws(SynthesisError) -> SynthesisFault {
        guard let fault = SynthesisFault(rawValue: id) else { throw .unknownFault(id: id) }
        return fault
    }

    /// The shortest stream, in seconds, in which the fault shows, with this many seconds from tag to tag.
    public func minimumDuration(tagInterval: Int) -> Double {
        switch self {
        case .pmtDescriptors, .streamType, .emsgForm, .infoCIDs, .infoOffsets: 1
        case .ownerPresent: 30
        case .tagCount: 120
        case .timeRate: Double(6 * tagInterval)
        case .infoLate: 400
        case .nullRun: Double(10 * tagInterval)
        case .timeWallClock, .timeAudioSync: Double(tagInterval)
        default: Double(5 * tagInterval)
        }
    }

    /// Whether the fault is in what only a transport stream has.
    var isOfTransportStream: Bool {
        switch self {
        case .pmtDescriptors, .streamType, .ptsMissing, .pesIncomplete, .packetsPerTag, .continuity: true
        default: false
        }
    }
}
