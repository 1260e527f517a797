import ID3v2
import NielsenID3
import TextForms

/// `monitor.overloaded`: the channels are read in time.
struct MonitorOverloaded: HealthCheck {
    static let declaration = CheckDeclaration(
        .monitorOverloaded, of: .monitor, worst: .fail, clock: .wall, limits: [.lateChannels, .late],
        rowLimit: .lateChannels,
        notRun: "No channel is followed.",
        expectation: "The channels are read in time",
        urgency: "now: tags may be missed; follow fewer channels",
        title: "Many channels are read late",
        meaning: """
            For two minutes, more channels than the limit were read far behind the end of their playlists. Segments may
            leave the playlists before they are read, and their tags are then lost.
            """,
        appearance: "`dtvr_behind_live_seconds` of many channels is high.",
        cause:
            "This machine or its network is too slow for the channels, or a host of many channels is slow.",
        action:
            "Look at the processor and the network. Follow fewer channels or lower renditions on this machine.",
        alerting: .init(.first))

    /// The number of seconds during which channels must be late.
    private static let overloadTime = 120.0

    /// The start of the time in which too many channels are late.
    private var lateSince: SteadyTime?
    /// The end of the time after a restart in which channels whose delay is unknown count as late; nil before the first
    /// event.
    private var lateUntil: SteadyTime?

    mutating func judge(_ facts: MonitorFacts, into book: inout EpisodeBook) {
        let time = book.moment.steady
        if lateUntil == nil {
            // The times before a restart are unknown, so a problem that lasts has lasted long enough.
            let isOpen = book.isOpen(Self.id)
            lateUntil = isOpen ? time + Self.overloadTime : time
            lateSince = isOpen ? time - Self.overloadTime : nil
        }
        let unknown = lateUntil.map { time < $0 } ?? false ? Double.infinity : 0
        let (limit, share) = (book.policy[.late], book.policy[.lateChannels])
        let late = facts.delays.count { $0 ?? unknown > limit }
        let isLate = late > 0 && Double(late) * 100 > share * Double(facts.delays.count)
        lateSince = isLate ? lateSince ?? time : nil
        guard let lateSince, time - lateSince >= Self.overloadTime else { return book.end(Self.id) }
        let channels = DecimalText.count(facts.delays.count, "channel")
        book.violate(
            Self.id, .fail,
            "\(late) of \(channels) \(late == 1 ? "is" : "are") read more than \(Int(limit)) s late")
    }
}

/// `monitor.clock`: the tags of most channels agree with the clock of the machine.
struct MonitorClock: HealthCheck {
    static let declaration = CheckDeclaration(
        .monitorClock, of: .monitor, worst: .warn, clock: .wall,
        notRun: "Fewer than three channels have a recent DATA tag.",
        expectation: "The tags of most channels agree with the clock of the machine",
        urgency: "now: set the clock",
        title: "The clock of the machine is wrong",
        meaning: """
            For a minute, the newest DATA tags of more than half of the channels were off the clock of this machine by
            more than `limit-wall-clock`, in the same direction and by the same time within 60 s. Printed times and
            quiet hours are then wrong by that time. A channel counts if it had a DATA tag in the last two minutes and
            neither ignores nor accepts `time.wall-clock`; at least three must count.
            """,
        appearance: """
            `time.wall-clock` of these channels states the same distance. `dtvr_clock_synchronized` is 0 if the kernel
            reports that no time service keeps the clock.
            """,
        cause: """
            No time service runs, or the machine was started without a network. If the clock is right, these channels
            share an inserter with a wrong clock, or all of them are delayed by the same time.
            """,
        action: """
            Compare `date -u` with a correct clock. If it differs, start a time service such as chrony. If the channels
            are delayed on purpose, set `limit-wall-clock` or `accept = time.wall-clock` for them.
            """,
        alerting: .init(.first))

    /// The number of seconds during which the tags must agree or disagree with the clock.
    private static let agreementTime = 60.0
    /// The number of seconds without a comparison before the problem is over.
    private static let unknownTime = 900.0

    /// Whether the tags disagree with the clock, nil if unknown, and since when that is so.
    private var state: (isWrong: Bool?, since: SteadyTime)?

    /// Judges the comparison, once it has had the same result for some time: after a restart, the channels are read one
    /// after the other.
    mutating func judge(_ facts: MonitorFacts, into book: inout EpisodeBook) {
        let time = book.moment.steady
        let result = Self.check(facts.tagOffsets)
        let isWrong = result == .notRun ? nil : result.isViolation
        let since = state.flatMap { $0.isWrong == isWrong ? $0.since : nil } ?? time
        state = (isWrong, since)
        // At the start, the channels are read first.
        let mayBeWrong =
            facts.uptime < Self.agreementTime && facts.delays.count >= Self.minimumChannelCount
        book.expect(Self.id, isWrong ?? mayBeWrong)
        if time - since < (isWrong == nil ? Self.unknownTime : Self.agreementTime) {
            book.extend(Self.id)
        } else if case .violation(let severity, let detail) = result {
            book.violate(Self.id, severity, detail)
        } else {
            book.end(Self.id)
        }
    }

    /// The minimum number of channels to compare.
    private static let minimumChannelCount = 3
    /// The maximum difference between offsets that count as the same, in seconds.
    private static let tolerance = 60.0

    /// Compares the tags of the channels with the wall clock.
    static func check(_ offsets: [(seconds: Double, limit: Double)]) -> CheckResult {
        guard offsets.count >= minimumChannelCount else { return .notRun }
        let far = offsets.filter { $0.seconds.magnitude > $0.limit }.map(\.seconds)
        let groups = [far.filter { $0 < 0 }, far.filter { $0 > 0 }].map(largestGroup)
        guard let group = groups.first(where: { $0.count * 2 > offsets.count }) else { return .pass }
        let seconds = group[group.count / 2]
        return .violation(
            .warn,
            "the tags of \(group.count) of \(offsets.count) channels are \(text(seconds.magnitude)) "
                + (seconds < 0
                    ? "before the clock of this machine: it is wrong, or these channels are delayed"
                    : "after the clock of this machine: it is wrong"))
    }

    /// Returns the largest group of the values that are the same within the tolerance, in ascending order.
    private static func largestGroup(_ values: [Double]) -> ArraySlice<Double> {
        let sorted = values.sorted()
        var largest = sorted[..<0]
        var start = 0
        for end in sorted.indices {
            while sorted[end] - sorted[start] > tolerance { start += 1 }
            if end - start + 1 > largest.count { largest = sorted[start...end] }
        }
        return largest
    }

    /// Formats a distance to the minute, such as `3 h 0 min`, or a shorter one than two minutes to the second.
    private static func text(_ seconds: Double) -> String {
        guard seconds >= 120, let minutes = Int(exactly: (seconds / 60).rounded()) else {
            return "\(SecondsText(seconds.rounded()))"
        }
        return switch minutes {
        case ..<60: "\(minutes) min"
        case ..<2_880: "\(minutes / 60) h \(minutes % 60) min"
        default: "\(minutes / 1_440) days"
        }
    }
}
