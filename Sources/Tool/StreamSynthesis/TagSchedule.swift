/// The tags of a rendition, each with its audio frame and PTS.
///
/// An encoder closes a tag when its clock has passed the tag's last second. The tag then takes the PTS of the last
/// audio frame fed to the encoder. The DATA tag for seconds 0 to 10 therefore follows the last audio frame that begins
/// before second 10, and a stream of two minutes has twelve DATA tags.
struct TagSchedule {
    /// An ID3 tag with its position.
    struct Entry: Hashable {
        /// The audio frame that the tag follows.
        var audioFrame: Int
        /// The presentation time in ticks of 90 kHz, not wrapped.
        var time: Int64
        /// The tag's bytes.
        var bytes: [UInt8]
        /// The owner identifier, or nil for a tag of another owner.
        var ownerIdentifier: [UInt8]?
        /// The fault in the packets of the tag, or nil for none.
        var packetFault: PacketFault?
    }

    /// A fault in the transport stream packets of a tag.
    enum PacketFault: Hashable {
        case noPTS
        case truncated
        case threePackets
        case lostPacketBefore
    }

    let entries: [Entry]

    /// A tag without its sequence number and content IDs.
    private struct Draft {
        var kind: SyntheticTag.Kind
        /// The closing time, in ticks from the start of the stream.
        var moment: Int64
        var firstTime: Int
        var lastTime: Int
        /// The index among the tags of its kind, from 0.
        var index: Int

        /// The index for the random blocks.
        var blockIndex: UInt64 { SyntheticTag.blockIndex(of: kind, index) }
    }

    /// Creates the schedule of the rendition at `index`.
    init(_ settings: SynthesisSettings, renditionIndex index: Int) {
        let fault = settings.fault
        let isLast = index == settings.renditions.count - 1
        let drafts = Self.drafts(settings)
        let dataCount = drafts.count { $0.kind == .data }
        let target = dataCount / 2
        var entries: [Entry] = []
        for (position, draft) in drafts.enumerated() {
            let isTarget = draft.kind == .data && draft.index == target
            var tag = Self.tag(settings, draft, position: position, target: target)
            if isTarget { tag.spoil(fault, isLastRendition: isLast) }
            var frame = Self.audioFrame(before: draft.moment)
            if fault == .renditionTimeDiffers, isLast, isTarget { frame += 47 }
            var entry = Entry(
                audioFrame: frame,
                time: Int64(settings.startPTS) + Int64(frame) * SynthesisClock.audioFrameTicks,
                bytes: tag.bytes, ownerIdentifier: tag.ownerIdentifier)
            if fault == .ownerPresent {
                entry.bytes = Self.otherOwnersTag
                entry.ownerIdentifier = nil
            }
            if fault == .timeAudioSync {
                // Event messages are compared with the end of their segment, and may be anywhere before it.
                entry.time += SynthesisClock.ticks(20 + settings.segmentDuration)
            }
            if isTarget {
                switch fault {
                case .sequenceStep: continue
                case .ptsMissing: entry.packetFault = .noPTS
                case .pesIncomplete: entry.packetFault = .truncated
                case .packetsPerTag: entry.packetFault = .threePackets
                case .continuity:
                    var other = entry
                    other.bytes = Self.otherOwnersTag
                    other.ownerIdentifier = nil
                    entries.append(other)
                    entry.packetFault = .lostPacketBefore
                default: entry.spoil(fault)
                }
            }
            entries.append(entry)
        }
        // A delayed tag may need to be sorted behind the next one.
        self.entries =
            fault == .renditionTimeDiffers
            ? entries.enumerated().sorted {
                ($0.element.audioFrame, $0.offset) < ($1.element.audioFrame, $1.offset)
            }.map(\.element) : entries
    }

    /// Returns the last audio frame that begins before `moment`, at least the first frame.
    static func audioFrame(before moment: Int64) -> Int {
        Int(max(0, (moment + SynthesisClock.audioFrameTicks - 1) / SynthesisClock.audioFrameTicks - 1))
    }

    /// A tag of an owner without measurements: PRIV, owner `synthetic.example`, four bytes.
    static let otherOwnersTag: [UInt8] = {
        let body = Array("synthetic.example".utf8) + [0x00, 0x01, 0x02, 0x03, 0x04]
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }()

    /// Returns the tags in the order of their closing times, with the first INFO tag before all DATA tags.
    private static func drafts(_ settings: SynthesisSettings) -> [Draft] {
        let end = SynthesisClock.ticks(settings.duration)
        let start = Int(settings.startTime) - (settings.fault == .timeWallClock ? 3600 : 0)
        var drafts = infoDrafts(settings, start: start, end: end)
        let interval = settings.fault == .tagCount ? 16 : settings.tagInterval
        let span = settings.fault == .tagCount ? 12 : interval
        var step = Int64(interval) * SynthesisClock.ticksPerSecond
        if settings.fault == .timeRate { step = step * 6 / 5 }
        var data: [Draft] = []
        var moment = step
        while moment <= end {
            let lastTime = start + interval * (data.count + 1)
            data.append(
                Draft(
                    kind: .data, moment: moment, firstTime: lastTime - span, lastTime: lastTime,
                    index: data.count))
            moment += step
        }
        let target = data.count / 2
        if target >= 2 {
            switch settings.fault {
            case .timeGap: data.removeSubrange(max(1, target - 2)..<target)
            case .timeOverlap:
                // The tag closes early too, so that its position in the stream remains that of its last second.
                let previousEnd = data[target - 1].lastTime
                data[target].firstTime = previousEnd - 10
                data[target].lastTime = previousEnd + min(2, interval)
                data[target].moment = Int64(data[target].lastTime - start) * SynthesisClock.ticksPerSecond
            case .timeDuration: data[target].firstTime = data[target].lastTime - 14
            default: break
            }
        }
        drafts += data
        return drafts.enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }
            .map(\.element)
    }

    private static func infoDrafts(_ settings: SynthesisSettings, start: Int, end: Int64) -> [Draft] {
        let isLate = settings.fault == .infoLate
        // Shifts INFO tags by half a tag, so that none coincides with a DATA tag.
        let halfTag = Int64(settings.tagInterval) * SynthesisClock.ticksPerSecond / 2
        let interval = Int64(settings.infoInterval) * SynthesisClock.ticksPerSecond
        var moments: [Int64] = [0]
        var moment = isLate ? 340 * SynthesisClock.ticksPerSecond + halfTag : interval - halfTag
        while moment <= end {
            moments.append(moment)
            moment += interval
        }
        return moments.enumerated().map { index, moment in
            let elapsed = settings.fault == .timeRate ? moment * 5 / 6 : moment
            let time = start + Int(elapsed / SynthesisClock.ticksPerSecond)
            return Draft(kind: .info, moment: moment, firstTime: time, lastTime: time, index: index)
        }
    }

    private static func tag(
        _ settings: SynthesisSettings, _ draft: Draft, position: Int, target: Int
    ) -> SyntheticTag {
        var tag = SyntheticTag(
            kind: draft.kind, sequence: settings.firstSequence &+ UInt16(truncatingIfNeeded: position),
            firstTime: UInt32(draft.firstTime), lastTime: UInt32(draft.lastTime), seed: settings.seed,
            blockIndex: draft.blockIndex)
        if draft.kind == .info {
            if settings.fault == .infoCIDs {
                tag.fdCID = SyntheticTag.fdCID(seed: settings.seed, at: tag.firstTime)
            }
            if settings.fault == .infoOffsets { tag.fdOffset = 1 }
            return tag
        }
        if settings.fault == .cidChange, draft.index >= target {
            tag.pcCID = SyntheticTag.otherPCCID(seed: settings.seed, at: tag.firstTime)
        }
        if settings.fault == .offsetAdvance, draft.index >= target { tag.pcOffset += 20 }
        if settings.fault == .nullRun, (target..<target + 5).contains(draft.index) {
            tag.pcCID = SyntheticTag.nullContentID
            tag.pcOffset = 0
        }
        return tag
    }
}

extension SyntheticTag {
    /// Applies a fault that affects the fields of the tag.
    fileprivate mutating func spoil(_ fault: SynthesisFault?, isLastRendition: Bool) {
        switch fault {
        case .tagChecksum: checksumError = 1
        case .tagBreakout: breakout = 1
        case .offsetOfNull: pcCID = Self.nullContentID
        // Swap the first two blocks.
        case .renditionTagsDiffer where isLastRendition:
            blocks.replaceSubrange(0..<32, with: Array(blocks[16..<32] + blocks[0..<16]))
        default: break
        }
    }
}

extension TagSchedule.Entry {
    /// Applies a fault that affects the encoded bytes of the tag.
    fileprivate mutating func spoil(_ fault: SynthesisFault?) {
        switch fault {
        case .id3Malformed: bytes[17] = 0x7F
        case .tagHeader: bytes[5] = 0x00
        case .tagTail: bytes[270] = UInt8(ascii: "B")
        case .tagFormat:
            // The fourth character of the first content ID, which follows "www.nielsen.com/".
            bytes[20 + 16 + 3] = UInt8(ascii: "+")
            ownerIdentifier = Array(bytes[20..<269])
        default: break
        }
    }
}
