import TimedMedia

/// The line of time that the tags of one rendition lie on.
///
/// Timestamps of transport streams and packed audio wrap and are unwrapped over the segments; the media times of
/// segments without a tag keep the line going. Times of event messages and of fragmented MP4 are absolute and
/// stay as they are, whatever their scale. A discontinuity starts a new line.
struct StreamClock {
    private var line = TimestampUnwrapper()

    /// A segment's place on the line and in its playlist.
    struct Place {
        let segmentName: String?
        let mediaSequence: UInt64?
        /// Seconds of the playlist before the segment.
        let position: Double
        private let programDateTime: Int64?
        private let firstTime: MediaTimestamp?
        fileprivate var line: TimestampUnwrapper

        fileprivate init(
            _ segment: Programme.Segment, position: Double, firstTime: MediaTimestamp?,
            line: TimestampUnwrapper
        ) {
            segmentName = segment.name
            mediaSequence = segment.mediaSequence
            programDateTime = segment.programDateTime
            self.position = position
            self.firstTime = firstTime
            self.line = line
        }

        /// The time of a tag that begins in the segment on the segment's line, in seconds.
        mutating func seconds(of time: MediaTimestamp, on carriage: Carriage) -> Double {
            guard carriage.hasWrappingTime else { return time.seconds }
            return Double(line.unwrap(pts: time.ticks)) / Double(MediaTimestamp.transportTimescale)
        }

        /// The programme date and time of a tag in the segment: the segment's own plus the distance between.
        func programDateTime(of time: MediaTimestamp?, on carriage: Carriage) -> Int64? {
            guard let programDateTime, let time, let firstTime else { return nil }
            let distance: Double
            if carriage.hasWrappingTime {
                var line = TimestampUnwrapper()
                let first = line.unwrap(pts: firstTime.ticks)
                distance =
                    Double(line.unwrap(pts: time.ticks) - first) / Double(MediaTimestamp.transportTimescale)
            } else {
                distance = time.seconds - firstTime.seconds
            }
            guard let offset = Int64(exactly: (distance * 1_000).rounded()) else { return nil }
            let (sum, overflow) = programDateTime.addingReportingOverflow(offset)
            return overflow ? nil : sum
        }
    }

    /// The place of a segment that was just read.
    mutating func place(_ segment: Programme.Segment, at position: Double, facts: CarriageFacts) -> Place {
        if segment.isDiscontinuity { line = TimestampUnwrapper() }
        if let first = facts.earliestMediaTime, facts.container.hasWrappingTime {
            _ = line.unwrap(pts: first.ticks)
        }
        return Place(segment, position: position, firstTime: facts.earliestMediaTime, line: line)
    }

    /// Goes on from where the tags of the newest segment led.
    mutating func proceed(from place: Place) { line = place.line }
}

extension Carriage {
    /// Whether times have the 33 bits of a PTS, and start again at zero after 26.5 hours.
    fileprivate var hasWrappingTime: Bool {
        switch self {
        case .transportStream, .packedAudio, .segmentFront: true
        case .eventMessage, .metadataBox: false
        }
    }
}

extension CarriageFacts.Container {
    /// Whether media times have the 33 bits of a PTS.
    fileprivate var hasWrappingTime: Bool {
        switch self {
        case .transportStream, .packedAudio: true
        case .fragmentedMP4, .unknown: false
        }
    }
}
