package import NielsenID3
package import ID3v2

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
            return (MediaDistance.seconds(from: audio, to: time), .precedingAudio)
        }
        guard let segment, tag.origin.place.segment == segment.name,
            tag.origin.place.mediaSequence == segment.mediaSequence,
            let outside = segment.distance(of: time)
        else { return nil }
        return (outside, .segment)
    }
}
