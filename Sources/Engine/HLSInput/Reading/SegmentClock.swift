import NielsenID3
import TimedMedia

/// When the tags of one rendition are: on the line of its timestamps, and by the calendar.
///
/// Timestamps of transport streams and packed audio wrap and are unwrapped over the segments; the media times of
/// segments without a tag keep the line going. Times of event messages and of fragmented MP4 are absolute and stay as
/// they are, whatever their scale. A discontinuity starts a new line.
///
/// Dates are counted by timestamps from the last one that the playlist states, on the same line. The durations of the
/// playlist lead to a date only where no timestamp does: they are rounded, and drift away from the media.
struct SegmentClock {
    private var line = TimestampUnwrapper()
    private var date: KnownDate?

    /// A point on the line of which the date is known.
    fileprivate struct KnownDate {
        let unixMilliseconds: Int64
        let seconds: Double
    }

    /// A segment's place on the line and in its playlist.
    struct Place {
        let segmentName: String?
        let mediaSequence: UInt64?
        /// Seconds of the presentation before the segment.
        let position: Double
        private let firstTime: MediaTimestamp?
        private let date: KnownDate?
        fileprivate var line: TimestampUnwrapper

        fileprivate init(
            segmentName: String?, mediaSequence: UInt64?, position: Double, firstTime: MediaTimestamp?,
            date: KnownDate?, line: TimestampUnwrapper
        ) {
            self.segmentName = segmentName
            self.mediaSequence = mediaSequence
            self.position = position
            self.firstTime = firstTime
            self.date = date
            self.line = line
        }

        /// The time of a tag that begins in the segment on the segment's line, in seconds.
        mutating func seconds(of time: MediaTimestamp, on carriage: Carriage) -> Double {
            carriage.hasWrappingTime ? line.seconds(of: time) : time.seconds
        }

        /// The date of a tag at those seconds; nil where none is known.
        func programDateTime(ofSeconds seconds: Double?) -> Int64? {
            guard let date, let seconds,
                let offset = Int64(exactly: ((seconds - date.seconds) * 1_000).rounded())
            else { return nil }
            let (sum, overflow) = date.unixMilliseconds.addingReportingOverflow(offset)
            return overflow ? nil : sum
        }

        /// The seconds of the presentation before a tag in the segment: those before the segment plus the distance
        /// between; those before the segment alone where a time is missing.
        func position(of time: MediaTimestamp?, on carriage: Carriage) -> Double {
            guard let time, let firstTime else { return position }
            return position + firstTime.distance(to: time, wraps: carriage.hasWrappingTime)
        }
    }

    /// The place of a segment that was just read.
    mutating func place(
        _ segment: Presentation.Segment, at position: Double, facts: CarriageFacts
    ) -> Place {
        begin(segment)
        var firstSeconds: Double?
        if let first = facts.earliestMediaTime {
            firstSeconds = facts.container.hasWrappingTime ? line.seconds(of: first) : first.seconds
        }
        if date == nil, let stated = segment.programDateTime, let firstSeconds {
            date = KnownDate(unixMilliseconds: stated, seconds: firstSeconds)
        }
        return Place(
            segmentName: segment.name, mediaSequence: segment.mediaSequence, position: position,
            firstTime: facts.earliestMediaTime, date: date, line: line)
    }

    /// The place of an initialization segment that was just read: no part of the line, but tags may lie in it.
    func place(_ section: Presentation.Initialization, at position: Double) -> Place {
        Place(
            segmentName: section.name, mediaSequence: nil, position: position, firstTime: nil, date: date,
            line: line)
    }

    /// Goes on after a segment of which nothing was read.
    mutating func skip(_ segment: Presentation.Segment) { begin(segment) }

    /// Goes on from where the tags of the newest segment led.
    mutating func proceed(from place: Place) { line = place.line }

    private mutating func begin(_ segment: Presentation.Segment) {
        if segment.isDiscontinuity { line = TimestampUnwrapper() }
        // What was known of the dates counts no further.
        if segment.isDiscontinuity || segment.statesDate { date = nil }
    }
}

extension TimestampUnwrapper {
    /// The place of a PTS on the line, in seconds.
    fileprivate mutating func seconds(of time: MediaTimestamp) -> Double {
        Double(unwrap(pts: time.ticks)) / Double(MediaTimestamp.transportTimescale)
    }
}

extension Carriage {
    /// Whether times have the 33 bits of a PTS, and start again at zero after 26.5 hours.
    fileprivate var hasWrappingTime: Bool {
        switch self {
        case .transportStream, .packedAudio, .segmentFront: true
        case .eventMessage, .metadataBox, .player: false
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
