import ID3v2
import NielsenID3

/// Determines the stream time and the calendar time of the tags in one rendition.
///
/// Timestamps of transport streams and packed audio wrap, and are unwrapped across segments; the media times of
/// segments without tags keep the timeline continuous. Times of event messages and fragmented MP4 are absolute and are
/// used unchanged, in any timescale. A discontinuity starts a new timeline.
///
/// Dates are computed from timestamps on the same timeline, relative to the last date in the playlist. Playlist
/// durations are used for a date only where timestamps are missing, because they are rounded and drift.
struct SegmentClock {
    private var line = TimestampUnwrapper()
    /// A point on the timeline with a known date.
    private var date: (unixMilliseconds: Int64, seconds: Double)?

    /// The position of a segment on the timeline and in its playlist.
    struct SegmentPosition {
        let segmentName: String?
        let mediaSequence: UInt64?
        /// The seconds of the presentation before the segment.
        let position: Double
        private let firstTime: MediaTimestamp?
        private let date: (unixMilliseconds: Int64, seconds: Double)?
        fileprivate var line: TimestampUnwrapper

        fileprivate init(
            segmentName: String?, mediaSequence: UInt64?, position: Double, firstTime: MediaTimestamp?,
            date: (unixMilliseconds: Int64, seconds: Double)?, line: TimestampUnwrapper
        ) {
            self.segmentName = segmentName
            self.mediaSequence = mediaSequence
            self.position = position
            self.firstTime = firstTime
            self.date = date
            self.line = line
        }

        /// Returns the time of a tag that begins in the segment, in seconds of the segment's timeline.
        mutating func seconds(of time: MediaTimestamp, on carriage: Carriage) -> Double {
            carriage.hasWrappingTime ? line.seconds(of: time) : time.seconds
        }

        /// Returns the date of a tag at `seconds` in Unix milliseconds, or nil if it is unknown.
        func programDateTime(ofSeconds seconds: Double?) -> Int64? {
            guard let date, let seconds,
                let offset = Int64(exactly: ((seconds - date.seconds) * 1_000).rounded())
            else { return nil }
            let (sum, overflow) = date.unixMilliseconds.addingReportingOverflow(offset)
            return overflow ? nil : sum
        }

        /// Returns the playback position of a tag in the segment, in seconds.
        ///
        /// This is the position of the segment plus the distance to the tag, or the position of the segment if a time
        /// is missing.
        func position(of time: MediaTimestamp?, on carriage: Carriage) -> Double {
            guard let time, let firstTime else { return position }
            return position + firstTime.distance(to: time, wraps: carriage.hasWrappingTime)
        }
    }

    /// Returns the place of a segment that was just read.
    mutating func place(
        _ segment: Presentation.Segment, at position: Double, facts: CarriageFacts
    ) -> SegmentPosition {
        begin(segment)
        var firstSeconds: Double?
        if let first = facts.earliestMediaTime {
            firstSeconds = facts.container.hasWrappingTime ? line.seconds(of: first) : first.seconds
        }
        if date == nil, let stated = segment.programDateTime, let firstSeconds {
            date = (stated, firstSeconds)
        }
        return SegmentPosition(
            segmentName: segment.name, mediaSequence: segment.mediaSequence, position: position,
            firstTime: facts.earliestMediaTime, date: date, line: line)
    }

    /// Returns the place of an initialization segment, which is not on the timeline but may contain tags.
    func place(_ section: Presentation.Initialization, at position: Double) -> SegmentPosition {
        SegmentPosition(
            segmentName: section.name, mediaSequence: nil, position: position, firstTime: nil, date: date,
            line: line)
    }

    /// Advances past a segment that was not read.
    mutating func skip(_ segment: Presentation.Segment) { begin(segment) }

    /// Continues the timeline from the tags of the latest segment.
    mutating func proceed(from place: SegmentPosition) { line = place.line }

    private mutating func begin(_ segment: Presentation.Segment) {
        if segment.isDiscontinuity { line = TimestampUnwrapper() }
        // Earlier dates no longer apply.
        if segment.isDiscontinuity || segment.statesDate { date = nil }
    }
}

extension TimestampUnwrapper {
    /// Returns the unwrapped position of a PTS, in seconds.
    fileprivate mutating func seconds(of time: MediaTimestamp) -> Double {
        Double(unwrap(pts: time.ticks)) / Double(MediaTimestamp.transportTimescale)
    }
}

extension CarriageFacts.Container {
    /// Whether media times are 33-bit PTS values.
    var hasWrappingTime: Bool {
        switch self {
        case .transportStream, .packedAudio: true
        case .fragmentedMP4, .unknown: false
        }
    }
}
