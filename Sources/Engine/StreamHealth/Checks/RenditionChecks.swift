package import ID3v2
package import NielsenID3

extension CheckID {
    /// `rendition.tags-differ`.
    package static let renditionTagsDiffer = CheckID("rendition.tags-differ")
}

/// `rendition.tags-differ`: all renditions carry the same tags.
///
/// `TagComparison` has the tags of all renditions and applies the rule.
struct RenditionTagsDiffer: HealthCheck {
    static let declaration = CheckDeclaration(
        .renditionTagsDiffer, worst: .fail,
        notRun: "There is only one rendition.",
        expectation: "All renditions carry the same tags",
        title: "Renditions do not carry the same tags",
        meaning: """
            A tag (the same sequence and blob) is in one rendition but not in another, at a time that both cover. A
            viewer whose player has switched to the other rendition is not counted, or only partly, depending on the
            network. A variant without its own audio counts together with its audio group.
            """,
        appearance: """
            `dtvr scan --rendition` gives different lists for the two. One rendition lacks all tags (it was packaged
            without them), or some at segment edges, or each has tags of a different inserter with different numbers.
            """,
        cause: """
            In most encoders, metadata passthrough is a setting of each output (in AWS Elemental MediaLive, for
            example), and one output lacks it. With FFmpeg, every output needs its own `-map 0:d`. Parallel encoders,
            each with its own inserter, give tags with different numbers.
            """,
        action: """
            Enable passthrough for the rendition that the finding names. Insert tags once, before the split into
            renditions, not in each rendition.
            """)
}

extension CheckID {
    /// `rendition.time-differs`.
    package static let renditionTimeDiffers = CheckID("rendition.time-differs")
}

extension HealthLimit {
    /// `rendition.time-differs`: the maximum distance between the times of a tag in two renditions.
    public static let renditionTime = HealthLimit(
        "limit-rendition-time", 0.5, "s",
        "rendition.time-differs: maximum difference between the times of a tag in two renditions")
}

/// `rendition.time-differs`: a tag has the same time in all renditions.
///
/// `TagComparison` has the tags of all renditions and applies the rule.
struct RenditionTimeDiffers: HealthCheck {
    static let declaration = CheckDeclaration(
        .renditionTimeDiffers, worst: .fail, clock: .stream, limits: [.renditionTime],
        rowLimit: .renditionTime,
        notRun: "There is only one rendition.",
        expectation: "A tag has the same time in all renditions",
        title: "A tag has different times in different renditions",
        meaning: """
            Renditions of one presentation share a timeline: the same moment has the same timestamp in all of them. A
            tag with a different time in one rendition is delivered at the wrong moment there, and twice or not at all
            when the player switches. Between two sources, a constant distance is information.
            """,
        appearance: """
            The same `sequence` with different `seconds`. If all tags of a rendition are off by the same amount, its
            audio and video usually are too. If only some tags are off, the packager moved them.
            """,
        cause: """
            Renditions that are encoded by processes started one after another, whose timestamps begin at their own
            start; one of them restarted; or audio and video packaged with different start offsets. Some tags move if a
            packager places tags at the start of their segment and the segments of audio and video begin at different
            times.
            """,
        action: """
            Encode all renditions in one process, or let all of them use the timestamps of the input (FFmpeg:
            `-copyts`). If only the tags are off, configure the packager to keep the tags' own times instead of the
            segment's.
            """)
}

/// The distance between a tag and the audio around it.
///
/// `time.audio-sync` checks it and reports plot it.
package enum AudioDistance {
    /// Returns the seconds from the audio to the tag, positive if the tag is later, or nil if either has no time.
    ///
    /// In a transport stream, the audio is the last access unit that begins before the tag's first packet. Elsewhere it
    /// is the segment: the distance is 0 inside the segment's span, and is measured from the nearer end outside it.
    ///
    /// - Parameter segment: The segment in which the tag begins. Only tags without transport packets need it.
    package static func seconds(of tag: TagOccurrence, in segment: ObservedSegment?) -> Double? {
        of(tag, in: segment.map { SegmentContext($0, beginsAnew: false) })?.seconds
    }

    /// The reference point of a distance.
    enum Base: Hashable {
        /// The audio before the tag's first packet.
        case precedingAudio
        /// The span of the segment.
        case segment
    }

    static func of(_ tag: TagOccurrence, in segment: SegmentContext?) -> (seconds: Double, base: Base)? {
        guard let time = tag.time else { return nil }
        if let audio = tag.transport?.precedingMediaTime, segment?.isOfAnEarlierLine(audio) != true {
            return (audio.distance(to: time), .precedingAudio)
        }
        guard let segment, tag.origin.place.segment == segment.name,
            tag.origin.place.mediaSequence == segment.mediaSequence,
            let outside = segment.distance(of: time)
        else { return nil }
        return (outside, .segment)
    }
}
