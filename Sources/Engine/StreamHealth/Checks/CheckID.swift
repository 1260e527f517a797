/// The checks that a stream of tags is judged by, in the order in which reports list them.
///
/// The raw values are stable: they stand in reports, metrics and the `problems` of a tag.
package enum CheckID: String, Sendable, Hashable, CaseIterable {
    case pmtDescriptors = "carriage.pmt-descriptors"
    case streamType = "carriage.stream-type"
    case ptsMissing = "carriage.pts-missing"
    case pesIncomplete = "carriage.pes-incomplete"
    case packetsPerTag = "carriage.packets-per-tag"
    case continuity = "carriage.continuity"
    case emsgForm = "carriage.emsg-form"
    case ownerPresent = "carriage.owner-present"
    case id3Malformed = "id3.malformed"
    case tagHeader = "tag.header"
    case tagTail = "tag.tail"
    case tagFormat = "tag.format"
    case tagChecksum = "tag.checksum"
    case tagBreakout = "tag.breakout"
    case tagCount = "tag.count"
    case sequenceStep = "sequence.step"
    case timeGap = "time.gap"
    case timeOverlap = "time.overlap"
    case timeDuration = "time.duration"
    case timeRate = "time.rate"
    case timeAudioSync = "time.audio-sync"
    case timeWallClock = "time.wall-clock"
    case infoLate = "info.late"
    case infoCIDs = "info.cids"
    case infoOffsets = "info.offsets"
    case offsetOfNull = "cid.offset-of-null"
    case nullRun = "cid.null-run"
    case offsetAdvance = "cid.offset-advance"
    case cidChange = "cid.change"
    case renditionTagsDiffer = "rendition.tags-differ"
    case renditionTimeDiffers = "rendition.time-differs"
    case presenceSilent = "presence.silent"
}

extension CheckID: CustomStringConvertible {
    /// The id as reports have it.
    package var description: String { rawValue }
}
