package import NielsenID3
package import TimedMedia

/// How far a tag lies from the audio around it: what `time.audio-sync` checks and reports draw.
package enum AudioDistance {
    /// Seconds from the audio to the tag, positive where the tag is later; nil where either has no time.
    ///
    /// In a transport stream the audio is the last that began before the tag's first packet. Elsewhere it is the
    /// segment: the distance is 0 inside the segment's span, and from its nearer end outside of it.
    ///
    /// - Parameter segment: the segment that the tag begins in; needed where there are no packets.
    package static func seconds(of tag: TagOccurrence, in segment: ObservedSegment?) -> Double? {
        of(tag, in: segment.map { SegmentContext($0, beginsAnew: false) })?.seconds
    }

    /// What the distance is counted from.
    enum Base: Hashable {
        /// The audio before the tag's first packet.
        case precedingAudio
        /// The span of the segment.
        case segment
    }

    static func of(_ tag: TagOccurrence, in segment: SegmentContext?) -> (seconds: Double, base: Base)? {
        guard let time = tag.time else { return nil }
        if let audio = tag.transport?.precedingMediaTime, segment?.isOfAnEarlierLine(audio) != true {
            return (MediaDistance.seconds(from: audio, to: time), .precedingAudio)
        }
        guard let segment, tag.origin.place.segment == segment.name,
            tag.origin.place.mediaSequence == segment.mediaSequence,
            let outside = segment.distance(of: time)
        else { return nil }
        return (outside, .segment)
    }
}
