import ID3v2
import NielsenID3
import StreamHealth
import TagRecord
import TextForms

/// The tags and segments of one rendition, as drawn and listed on a page.
///
/// Fill it while the stream is read, in stream order: a segment, then its tags. It keeps about 150 bytes for each of
/// the first `maximumTags` tags; later tags are only counted. `Finding.Place.tagIndex` is the index of a tag in this
/// order.
struct RenditionTrack: Sendable {
    /// The maximum number of tags, and of segments, kept, so that malicious input cannot exhaust the memory.
    static let maximumTags = 250_000

    /// The maximum length of a segment name; a longer one is shortened in the middle.
    static let longestName = 120

    /// The media playlist's URI as written in its multivariant playlist; nil without one.
    let name: String?

    /// The number of tags appended, including those not kept.
    private(set) var tagCount = 0

    /// The number of segments appended, including those not kept.
    private(set) var segmentCount = 0

    private(set) var tags: [TrackedTag] = []
    private(set) var segments: [TrackedSegment] = []
    private(set) var segmentNames: [String] = []
    private(set) var carriages: [String] = []
    private(set) var contentIDs: [ContentID] = []
    /// The clock used to display positions.
    private(set) var clock = PositionClock.media

    private var spacing = TagSpacing()
    private var drift = ClockDrift()
    private var indexOfCarriage: [String: Int32] = [:]
    private var indexOfContentID: [ContentID: Int32] = [:]
    private var lastSegment: String?

    /// Creates an empty track.
    init(name: String?) { self.name = name }

    /// Creates a track from tags and segments collected elsewhere.
    init(name: String?, tags: [TrackedTag], segments: [TrackedSegment], clock: PositionClock) {
        self.init(name: name)
        self.tags = tags
        self.segments = segments
        self.clock = clock
        tagCount = tags.count
        segmentCount = segments.count
    }

    /// Appends the next segment.
    mutating func append(_ segment: ObservedSegment) {
        segmentCount += 1
        if segment.isDiscontinuity { drift.restart() }
        guard segments.count < Self.maximumTags, segment.position.isFinite, segment.duration.isFinite else {
            return
        }
        segments.append(
            TrackedSegment(
                position: segment.position, duration: segment.duration,
                isDiscontinuity: segment.isDiscontinuity, wasRead: segment.facts != nil))
    }

    /// Appends the next tag, of any kind and even if damaged.
    ///
    /// - Parameter audioDistance: seconds from the audio to the tag, from `AudioDistance`; nil if unknown.
    mutating func append(_ tag: TagOccurrence, audioDistance: Double?) {
        tagCount += 1
        guard tags.count < Self.maximumTags else { return }
        let fields = tag.tag
        tags.append(
            TrackedTag(
                position: tag.position.isFinite ? tag.position : 0,
                seconds: tag.seconds.flatMap { $0.isFinite ? $0 : nil },
                pts: tag.time?.ticks,
                audioDistance: audioDistance.flatMap { $0.isFinite ? Float($0) : nil },
                spacing: spacing.observe(tag).map(Float.init),
                drift: drift.observe(tag).map(Float.init),
                segment: index(ofSegment: tag.origin.place.segment),
                carriage: index(ofCarriage: tag.carriage),
                kind: TrackedTag.Kind(tag),
                sequence: fields.sequence,
                firstTime: fields.firstTime, lastTime: fields.lastTime,
                pcCID: index(of: fields.pcCID), fdCID: index(of: fields.fdCID),
                pcOffset: fields.pcOffset.flatMap(Int32.init(exactly:)),
                fdOffset: fields.fdOffset.flatMap(Int32.init(exactly:)),
                breakout: fields.breakout.flatMap(UInt8.init(exactly:)),
                isChecksumValid: fields.isChecksumValid,
                problems: CheckSet(tag.problems),
                severity: tag.severity))
    }

    /// Marks a finding at a kept tag; information (`pass`) is ignored, except for a change of CID.
    ///
    /// Problems of the tag itself are marked in `append`.
    mutating func mark(_ check: CheckID, _ status: CheckStatus, tagIndex: Int) {
        guard tags.indices.contains(tagIndex) else { return }
        if check == .cidChange { tags[tagIndex].changesSource = true }
        guard status > .pass else { return }
        tags[tagIndex].problems.insert(check)
        tags[tagIndex].severity = max(tags[tagIndex].severity, status)
    }

    private mutating func index(ofSegment name: String?) -> Int32? {
        guard let name else { return nil }
        if name != lastSegment {
            lastSegment = name
            segmentNames.append(TerminalText.shortened(PrintableText.of(name), Self.longestName))
        }
        return Int32(segmentNames.count - 1)
    }

    private mutating func index(ofCarriage carriage: Carriage) -> Int32 {
        var name = carriage.name
        if case .transportStream(let pid) = carriage { name += " \(pid)" }
        if let index = indexOfCarriage[name] { return index }
        let index = Int32(carriages.count)
        carriages.append(name)
        indexOfCarriage[name] = index
        return index
    }

    private mutating func index(of id: ContentID?) -> Int32? {
        guard let id else { return nil }
        if let index = indexOfContentID[id] { return index }
        let index = Int32(contentIDs.count)
        contentIDs.append(id)
        indexOfContentID[id] = index
        return index
    }
}

/// The fields of a segment that a page keeps.
struct TrackedSegment: Sendable {
    /// The media position of the segment's start, in seconds.
    var position: Double
    /// The duration in seconds.
    var duration: Double
    /// Whether it follows EXT-X-DISCONTINUITY.
    var isDiscontinuity: Bool
    /// Whether its bytes were read.
    var wasRead: Bool
}
