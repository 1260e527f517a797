import StreamHealth

extension CheckID {
    /// What holds where the check passes, in a line.
    var expectation: String {
        switch self {
        case .pmtDescriptors: "The programme map declares timed ID3 with both metadata descriptors"
        case .streamType: "The ID3 stream is of type 0x15 with PES stream_id 0xBD"
        case .ptsMissing: "Every PES packet in which a tag begins has a PTS"
        case .pesIncomplete: "Every PES packet holds its tag to the end"
        case .packetsPerTag: "A Nielsen tag fills exactly two transport packets in a row"
        case .continuity: "The continuity counter of the ID3 PID loses no packet"
        case .emsgForm: "Event message boxes have the scheme, value, version and id that players expect"
        case .ownerPresent: "The stream carries Nielsen tags"
        case .id3Malformed: "ID3 tags keep to ID3v2"
        case .tagHeader: "A Nielsen tag begins with the 20 bytes that it must"
        case .tagTail: "A Nielsen tag has 271 bytes and ends in NUL and A"
        case .tagFormat: "The owner identifier has the published form"
        case .tagChecksum: "The sum that the tag states is the sum of its bytes"
        case .tagBreakout: "The breakout is 00"
        case .tagCount: "There are as many DATA tags as the length of the programme asks for"
        case .sequenceStep: "Sequence numbers step by one: no tag is lost or repeated"
        case .timeGap: "A DATA tag begins soon after the end of the one before"
        case .timeOverlap: "A DATA tag does not begin long before the end of the one before"
        case .timeDuration: "A DATA tag spans neither too much nor too little time"
        case .timeRate: "Stream clock and tag clock run at the same rate"
        case .timeAudioSync: "A tag lies near the audio that it was made from"
        case .timeWallClock: "The times in the tags are those of the programme or of the day"
        case .infoLate: "INFO tags keep coming"
        case .infoCIDs: "INFO tags have the null CID"
        case .infoOffsets: "INFO tags have offsets of 0"
        case .offsetOfNull: "A null CID has an offset of 0"
        case .nullRun: "A CID that was set does not stay null for long"
        case .offsetAdvance: "The offset of a CID advances with the tag clock"
        case .cidChange: "Changes of source, and the start of a day, as information"
        case .renditionTagsDiffer: "All renditions carry the same tags"
        case .renditionTimeDiffers: "A tag lies at the same time in all renditions"
        case .presenceSilent: "In a live stream, DATA tags keep coming"
        }
    }
}
