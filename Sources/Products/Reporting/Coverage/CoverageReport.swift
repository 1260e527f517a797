import TextForms

/// The tags of live channels by day, as a ledger has them.
///
/// docs/collecting.md defines each number.
package struct CoverageReport: Sendable, Hashable {
    /// A time in Unix milliseconds.
    package typealias Span = Range<Int64>

    /// A state of a channel that a report lists with its times.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Tags were expected, and none covers the time.
        case gap
        /// An advertisement break.
        case advertisement = "break"
        /// Quiet hours.
        case quiet
        /// The channel could not be reached.
        case unreachable
        /// No tag arrived at a monitor although tags were expected.
        case silent
        /// The backup replaced the primary.
        case backup
        /// No monitor that sends records of breaks watched the channel.
        case unknown
    }

    /// A day of a channel.
    package struct Day: Sendable, Hashable {
        /// The date, such as `2026-11-20`.
        package let date: String
        /// The whole day.
        package let bounds: Span
        /// The part of the day that counts: from the first record of the channel on, until shortly before the report.
        package let counted: Span
        /// The milliseconds in which tags are expected.
        package let expected: Int64
        /// The times of each state within `counted`, in order.
        package let times: [State: [Span]]
        /// The numbers of DATA tags, of those that arrived late, and of further copies.
        package let tagCount: Int
        package let lateCount: Int
        package let copyCount: Int
        /// The number of monitors that sent records of the channel.
        package let monitorCount: Int

        /// Creates a day.
        package init(
            date: String, bounds: Span, counted: Span, expected: Int64, times: [State: [Span]], tagCount: Int,
            lateCount: Int, copyCount: Int, monitorCount: Int
        ) {
            (self.date, self.bounds, self.counted, self.expected) = (date, bounds, counted, expected)
            (self.times, self.tagCount, self.lateCount) = (times, tagCount, lateCount)
            (self.copyCount, self.monitorCount) = (copyCount, monitorCount)
        }

        /// Returns the total time of a state in milliseconds.
        package func total(_ state: State) -> Int64 {
            (times[state] ?? []).reduce(0) { $0 + Int64($1.count) }
        }

        /// The milliseconds with tags, of those in which tags are expected.
        package var tagged: Int64 { max(0, expected - total(.gap)) }

        /// The milliseconds in which the channel was unreachable or silent.
        var outage: Int64 { total(.unreachable) + total(.silent) }

        /// Whether no record of breaks covers the day.
        package var isUnknown: Bool { total(.unknown) >= Int64(counted.count) }

        /// The unknown part of the breaks, as a phrase; nil if all are known.
        package var unknownText: String? {
            if isUnknown { return "breaks unknown" }
            // A monitor that is restarted misses some seconds.
            let unknown = total(.unknown)
            return unknown >= 60_000 ? "breaks unknown for \(CoverageText.duration(unknown))" : nil
        }
    }

    /// A channel with its days.
    package struct Channel: Sendable, Hashable {
        /// The id.
        package let id: String
        /// The display name; the id if the channel has none.
        package let name: String
        /// The days in order, from the first one with a record of the channel.
        package var days: [Day]

        /// Creates a channel.
        package init(id: String, name: String?, days: [Day]) {
            self.id = id
            self.name = name ?? id
            self.days = days
        }

        /// The share of the expected time with tags, 0 to 1, over all days; nil if no tags were expected.
        package var share: Double? { CoverageText.share(of: days) }
    }

    /// The offset of a time zone from UTC.
    package struct Offset: Sendable, Hashable {
        /// The time at which it begins, in Unix milliseconds.
        package let start: Int64
        /// The seconds to add to UTC.
        package let seconds: Int64

        /// Creates an offset.
        package init(start: Int64, seconds: Int64) { (self.start, self.seconds) = (start, seconds) }
    }

    /// The first and the last day.
    package let days: ClosedRange<String>
    /// The name of the time zone of the days.
    package let timeZone: String
    /// The offsets of the time zone, in order.
    package let offsets: [Offset]
    /// The channels, in the order of their ids.
    package let channels: [Channel]

    /// Creates a report.
    package init(
        days: ClosedRange<String>, timeZone: String, offsets: [Offset], channels: [Channel]
    ) {
        (self.days, self.timeZone, self.offsets, self.channels) = (days, timeZone, offsets, channels)
    }

    /// Whether the time zone is UTC, so that local times are not listed.
    var isUTC: Bool { offsets.allSatisfy { $0.seconds == 0 } }

    /// Returns the offset from UTC at a time, in seconds.
    func offset(at time: Int64) -> Int64 {
        (offsets.last { $0.start <= time } ?? offsets.first)?.seconds ?? 0
    }
}

/// The forms of a coverage report.
package enum CoverageFormat: String, CaseIterable, Sendable {
    /// One self-contained page.
    case html
    /// A row for each day and for each time of a state.
    case csv
    /// One JSON object.
    case json

    /// Returns the document.
    ///
    /// - Parameters:
    ///   - producer: the producing program, such as `dtvr 1.0`, as shown on a page.
    ///   - made: the creation time in Unix milliseconds; nil to omit it.
    package func document(of report: CoverageReport, producer: String, made: Int64?) -> [UInt8] {
        switch self {
        case .html: CoveragePage.bytes(report, producer: producer, made: made)
        case .csv: CoverageText.csv(report)
        case .json: CoverageText.json(report, made: made)
        }
    }
}
