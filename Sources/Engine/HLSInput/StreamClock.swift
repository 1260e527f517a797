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
        /// Seconds of programme before the segment.
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
            guard let programDateTime, let distance = distance(of: time, on: carriage),
                let offset = Int64(exactly: (distance * 1_000).rounded())
            else { return nil }
            let (sum, overflow) = programDateTime.addingReportingOverflow(offset)
            return overflow ? nil : sum
        }

        /// The seconds of programme before a tag in the segment: those before the segment plus the distance
        /// between; those before the segment alone where a time is missing.
        func position(of time: MediaTimestamp?, on carriage: Carriage) -> Double {
            position + (distance(of: time, on: carriage) ?? 0)
        }

        /// Seconds from the segment's first media time to a tag.
        private func distance(of time: MediaTimestamp?, on carriage: Carriage) -> Double? {
            guard let time, let firstTime else { return nil }
            return firstTime.distance(to: time, wraps: carriage.hasWrappingTime)
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
    var hasWrappingTime: Bool {
        switch self {
        case .transportStream, .packedAudio: true
        case .fragmentedMP4, .unknown: false
        }
    }
}
