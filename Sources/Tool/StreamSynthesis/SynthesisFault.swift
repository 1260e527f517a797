/// A fault in a synthetic stream, named after the check that detects it.
///
/// A fault affects only the property in its ID. Its declaration has all that depends on it; only the faults of a whole
/// container (`pmtDescriptors`, `streamType`, `emsgForm`) are applied by the writer of that container.
package enum SynthesisFault: String, Sendable, Hashable, CaseIterable {
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

    /// The ID, as listed in checks.md.
    package var id: String { rawValue }

    /// Returns the fault with this ID, which must match exactly.
    package static func named(_ id: String) throws(SynthesisError) -> SynthesisFault {
        guard let fault = SynthesisFault(rawValue: id) else { throw .unknownFault(id: id) }
        return fault
    }

    /// A one-line description of the change, as in the second column of docs/faults.md.
    package var change: String { declaration.change }

    /// The only container that supports the fault, or nil if there are several.
    package var container: SynthesisSettings.Container? { declaration.container }

    /// A duration in seconds at which the fault is detected with as few other findings as possible.
    package var fittingDuration: Double { declaration.fittingDuration ?? SynthesisSettings().duration }

    /// Returns the minimum duration in seconds of a stream in which the fault is detectable.
    ///
    /// - Parameter tagInterval: The interval between DATA tags, in seconds.
    package func minimumDuration(tagInterval: Int) -> Double {
        let declaration = declaration
        return max(declaration.minimumDuration, Double(declaration.minimumTagCount * tagInterval))
    }
}

extension SynthesisFault {
    /// A change of the tags of a rendition; `target` is the position of the DATA tag in the middle.
    typealias Edit = (_ tags: inout [ScheduledTag], _ schedule: TagSchedule, _ target: Int) -> Void

    /// The properties of a fault and its effect.
    struct Declaration {
        let change: String
        let container: SynthesisSettings.Container?
        /// The minimum duration of the stream, as a number of DATA tags and in seconds.
        let minimumTagCount: Int
        let minimumDuration: Double
        let fittingDuration: Double?
        /// Whether the other renditions have no fault.
        let isOfLastRendition: Bool
        let edit: Edit?
        /// The change of all the tags' times, or nil.
        let pace: ((inout TagSchedule) -> Void)?

        init(
            _ change: String, in container: SynthesisSettings.Container? = nil, tags: Int = 5,
            seconds: Double = 0, fitting: Double? = nil, isOfLastRendition: Bool = false, edit: Edit? = nil,
            pace: ((inout TagSchedule) -> Void)? = nil
        ) {
            self.change = change
            self.container = container
            minimumTagCount = tags
            minimumDuration = seconds
            fittingDuration = fitting
            self.isOfLastRendition = isOfLastRendition
            self.edit = edit
            self.pace = pace
        }
    }

    var declaration: Declaration {
        switch self {
        case .pmtDescriptors:
            Declaration(
                "the PMT has neither descriptor 0x25 nor 0x26", in: .transportStream, tags: 0, seconds: 1)
        case .streamType:
            Declaration(
                "the PMT has type 0x06 for the ID3 stream, with its descriptors unchanged",
                in: .transportStream, tags: 0, seconds: 1)
        case .ptsMissing: inPackets("the PES packet of one DATA tag has no PTS")
        case .pesIncomplete: inPackets("the PES packet of one DATA tag ends after 200 of its 271 bytes")
        case .packetsPerTag: inPackets("the PES packet of one DATA tag spans three transport packets")
        case .continuity:
            Declaration(
                "a tag of another owner precedes one DATA tag, and the counter skips a value between them",
                in: .transportStream
            ) { tags, _, target in
                tags.insert(tags[target], at: target)
                tags[target].bytes = ScheduledTag.otherOwnersBytes
                tags[target + 1].packetFault = .continuity
            }
        case .emsgForm:
            Declaration(
                "every emsg has the scheme urn:example:synthetic", in: .fragmentedMP4, tags: 0, seconds: 1)
        case .ownerPresent:
            // From one minute on, the missing tags would also be reported.
            Declaration("every tag has another owner", tags: 0, seconds: 30, fitting: 45) { tags, _, _ in
                for place in tags.indices { tags[place].bytes = ScheduledTag.otherOwnersBytes }
            }
        case .id3Malformed:
            inTag("the frame in one DATA tag extends 4 bytes beyond the end of the tag") {
                $0.bytes[17] = 0x7F
            }
        case .tagHeader:
            inTag("the flags in the header of one DATA tag are 00 instead of 20") { $0.bytes[5] = 0x00 }
        case .tagTail:
            inTag("one DATA tag ends with B instead of A") { $0.bytes[270] = UInt8(ascii: "B") }
        case .tagFormat:
            // The content ID follows "www.nielsen.com/"; a plus sign is of the other base64 alphabet.
            inTag("the fourth character of the PC CID of one DATA tag is a +") {
                $0.bytes[20 + 16 + 3] = UInt8(ascii: "+")
            }
        case .tagChecksum:
            inTag("the checksum of one DATA tag is too large by one") { $0.tag.checksumError = 1 }
        case .tagBreakout: inTag("the breakout of one DATA tag is 01") { $0.tag.breakout = 1 }
        case .tagCount:
            // Too few tags, but no gap.
            Declaration(
                "DATA tags span 12 s and come every 16 s", tags: 0, seconds: 120,
                pace: { ($0.interval, $0.span) = (16, 12) })
        case .sequenceStep:
            Declaration("one DATA tag is missing, with its number and its time") { tags, _, target in
                tags.remove(at: target)
            }
        case .timeGap:
            Declaration(
                "the time of two DATA tags is not covered, but the numbers continue", tags: 6
            ) { tags, schedule, target in
                let index = tags[target].index
                tags.removeAll { $0.tag.kind == .data && (index - 2..<index).contains($0.index) }
                schedule.number(&tags)
            }
        case .timeOverlap:
            // The tag closes early too, so that its position in the stream remains that of its last second.
            Declaration(
                "one DATA tag starts 10 s before the end of the previous one, and lasts 12 s"
            ) { tags, schedule, target in
                let previousEnd = tags[target].tag.firstTime
                let last = previousEnd + UInt32(min(2, schedule.interval))
                let closing = Int64(last - schedule.settings.startTime) * SynthesisSettings.ticksPerSecond
                tags[target] = schedule.tag(
                    .data, tags[target].index, closing: closing, first: previousEnd - 10, last: last)
                schedule.number(&tags)
            }
        case .timeDuration:
            Declaration("one DATA tag starts early and spans 14 s") { tags, schedule, target in
                let tag = tags[target]
                tags[target] = schedule.tag(
                    .data, tag.index, closing: tag.moment, first: tag.tag.lastTime - 14,
                    last: tag.tag.lastTime)
            }
        case .timeRate:
            // The drift must exceed two seconds over four tags.
            Declaration(
                "the tag clock runs at five sixths of the stream clock: 10 s of tags take 12 s", tags: 6,
                seconds: 30, pace: { $0.clockTicks = $0.clockTicks * 6 / 5 })
        case .timeAudioSync:
            // Event messages are compared with the end of their segment, and may be anywhere before it.
            Declaration(
                "the PTS of every tag is too high by 20 s plus the length of a segment", tags: 1
            ) { tags, schedule, _ in
                let shift = SynthesisSettings.ticks(20 + schedule.settings.segmentDuration)
                for place in tags.indices { tags[place].time += shift }
            }
        case .timeWallClock:
            Declaration(
                "the times in all tags are an hour earlier", tags: 1,
                pace: { $0.settings.startTime -= 3600 })
        case .infoLate:
            // Half a DATA tag after 340 seconds.
            Declaration(
                "the second INFO tag comes 345 s after the first", tags: 0, seconds: 400, fitting: 400,
                pace: { $0.secondInfo = 340 * SynthesisSettings.ticksPerSecond + $0.halfTag })
        case .infoCIDs:
            Declaration("INFO tags have an FD CID", tags: 0, seconds: 1) { tags, schedule, _ in
                for place in tags.indices where tags[place].tag.kind == .info {
                    tags[place].tag.fdCID = SyntheticTag.fdCID(
                        seed: schedule.settings.seed, at: tags[place].tag.firstTime)
                }
            }
        case .infoOffsets:
            Declaration("INFO tags have an FD offset of 1", tags: 0, seconds: 1) { tags, _, _ in
                for place in tags.indices where tags[place].tag.kind == .info { tags[place].tag.fdOffset = 1 }
            }
        case .offsetOfNull:
            inTag("one DATA tag has the null PC CID but keeps its PC offset") {
                $0.tag.pcCID = SyntheticTag.nullContentID
            }
        case .nullRun:
            Declaration(
                "the PC CID of five DATA tags is null, with an offset of 0", tags: 10
            ) { tags, _, target in
                for place in Self.dataTags(tags, from: target).prefix(5) {
                    tags[place].tag.pcCID = SyntheticTag.nullContentID
                    tags[place].tag.pcOffset = 0
                }
            }
        case .offsetAdvance:
            Declaration("the PC offset is 20 s too high from the middle on") { tags, _, target in
                for place in Self.dataTags(tags, from: target) { tags[place].tag.pcOffset += 20 }
            }
        case .cidChange:
            Declaration("the PC CID changes in the middle") { tags, schedule, target in
                for place in Self.dataTags(tags, from: target) {
                    tags[place].tag.pcCID = SyntheticTag.otherPCCID(
                        seed: schedule.settings.seed, at: tags[place].tag.firstTime)
                }
            }
        case .renditionTagsDiffer:
            // The tag differs but is not missing.
            Declaration(
                "the first two blocks of one DATA tag are swapped in the last rendition",
                isOfLastRendition: true
            ) { tags, _, target in
                let blocks = tags[target].tag.blocks
                tags[target].tag.blocks = Array(blocks[16..<32] + blocks[0..<16] + blocks[32...])
            }
        case .renditionTimeDiffers:
            Declaration(
                "one DATA tag of the last rendition comes 47 audio frames (1.003 s) later",
                isOfLastRendition: true
            ) { tags, _, target in
                var tag = tags.remove(at: target)
                tag.audioFrame += 47
                tag.time += 47 * SynthesisSettings.audioFrameTicks
                let next = tags[target...].firstIndex { $0.audioFrame >= tag.audioFrame }
                tags.insert(tag, at: next ?? tags.endIndex)
            }
        }
    }

    /// Declares a fault of the DATA tag in the middle.
    private func inTag(
        _ change: String, in container: SynthesisSettings.Container? = nil,
        _ edit: @escaping (inout ScheduledTag) -> Void
    ) -> Declaration {
        Declaration(change, in: container) { tags, _, target in edit(&tags[target]) }
    }

    /// Declares a fault in the transport stream packets of that tag.
    private func inPackets(_ change: String) -> Declaration {
        inTag(change, in: .transportStream) { $0.packetFault = self }
    }

    /// Returns the positions of the DATA tags from a position on.
    private static func dataTags(_ tags: [ScheduledTag], from target: Int) -> [Int] {
        tags.indices[target...].filter { tags[$0].tag.kind == .data }
    }
}
