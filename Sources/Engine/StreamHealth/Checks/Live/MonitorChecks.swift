package import NielsenID3

extension CheckID {
    /// `delivery.stalled`.
    package static let deliveryStalled = CheckID("delivery.stalled")
    /// `delivery.refused`.
    package static let deliveryRefused = CheckID("delivery.refused")
    /// `buffer.evicting`.
    package static let bufferEvicting = CheckID("buffer.evicting")
    /// `buffer.disk`.
    package static let bufferDisk = CheckID("buffer.disk")
    /// `monitor.overloaded`.
    package static let monitorOverloaded = CheckID("monitor.overloaded")
    /// `monitor.clock`.
    package static let monitorClock = CheckID("monitor.clock")

    /// The ids of the checks of the monitor itself.
    package static let ofMonitorItself = CheckRegistry.liveDeclarations.filter { $0.scope == .monitor }.map(
        \.id)
}

extension HealthLimit {
    /// `delivery.stalled`: the maximum time in which tags wait and none is delivered.
    package static let deliveryStalled = HealthLimit(
        "limit-delivery-stalled", 900, "s",
        "delivery.stalled: maximum time in which tags wait and none is delivered")
    /// `delivery.refused`: the time after the last refused tag until the alert is cleared.
    package static let deliveryRefused = HealthLimit(
        "limit-delivery-refused", 900, "s",
        "delivery.refused: time after the last refused tag until the alert is cleared")
    /// `buffer.evicting`: the maximum use of the buffer.
    package static let bufferUse = HealthLimit(
        "limit-buffer-use", 80, "percent", "buffer.evicting: maximum use of the buffer's size limit")
    /// `monitor.overloaded`: the maximum share of channels that are read late.
    package static let lateChannels = HealthLimit(
        "limit-late-channels", 20, "percent",
        "monitor.overloaded: maximum share of channels that are read more than limit-late behind live")
    /// `monitor.overloaded`: the delay behind live at which a channel counts as late.
    package static let late = HealthLimit(
        "limit-late", 60, "s", "monitor.overloaded: delay behind live at which a channel is late")
}

/// `delivery.stalled`: waiting tags are delivered.
struct DeliveryStalled: HealthCheck {
    static let declaration = CheckDeclaration(
        .deliveryStalled, of: .monitor, worst: .fail, clock: .wall, limits: [.deliveryStalled],
        rowLimit: .deliveryStalled,
        notRun: "There is no collector.",
        expectation: "The collector receives the waiting tags",
        urgency: "not before the buffer is full: no tag is lost until then",
        title: "No tag is delivered",
        meaning: """
            Tags wait in the buffer and none was delivered for longer than the limit. No tag is lost until the buffer is
            full.
            """,
        appearance: """
            `dtvr_buffer_tags` grows and `dtvr_delivered_total` does not. The log has `holding until`, with the reason.
            """,
        cause: "The collector is down, or the network or a proxy on the way to it fails.",
        action: """
            Send a request to the address of the collector from this machine. When it answers, delivery resumes by
            itself; a reload of the monitor makes it try at once.
            """,
        alerting: .init(.first))
}

/// `delivery.refused`: the collector accepts the tags.
struct DeliveryRefused: HealthCheck {
    static let declaration = CheckDeclaration(
        .deliveryRefused, of: .monitor, worst: .fail, limits: [.deliveryRefused],
        notRun: "There is no collector.",
        expectation: "The collector accepts the tags",
        urgency: "now: act on the reason",
        title: "The collector refuses tags",
        meaning: """
            The collector, or a proxy before it, answers that an operator has to act, or it refused tags permanently.
            Tags that it refused permanently are kept as dead letters.
            """,
        appearance: "The log has `holding until` with a status such as 401, or `permanently refused`.",
        cause: """
            The token has expired, the address is wrong, a certificate is not trusted, or a login page answers. Tags are
            refused if they do not meet the rules of the collector.
            """,
        action: """
            Correct the token or the address and reload the monitor. `dtvr store list --dead` prints the codes of
            refused tags, and `dtvr store retry` sends them again.
            """,
        alerting: .init(.first))
}

/// `buffer.evicting`: the buffer has room for the tags.
struct BufferEvicting: HealthCheck {
    static let declaration = CheckDeclaration(
        .bufferEvicting, of: .monitor, worst: .fail, limits: [.bufferUse], rowLimit: .bufferUse,
        notRun: "The monitor has no buffer.",
        expectation: "The buffer has room for the tags",
        urgency: "now: tags are lost",
        title: "The buffer is full or nearly full",
        meaning: """
            The buffer uses more than the limit of its maximum size, or it deletes its oldest tags to make room, or tags
            became older than `max-age`. Deleted tags are lost.
            """,
        appearance: "`dtvr_buffer_bytes` is near `dtvr_buffer_max_bytes`, or `dtvr_buffer_lost_total` grows.",
        cause: "The collector has been unavailable for long, or `max-bytes` is too small for the channels.",
        action:
            "Restore the delivery first. If that takes long and the disk has room, raise `max-bytes` and restart.",
        alerting: .init(.first))
}

/// `buffer.disk`: the buffer stores tags on the disk.
struct BufferDisk: HealthCheck {
    static let declaration = CheckDeclaration(
        .bufferDisk, of: .monitor, worst: .fail,
        notRun: "The monitor has no buffer.",
        expectation: "The disk takes the tags",
        urgency: "now: free space",
        title: "Tags cannot be stored",
        meaning: """
            Tags cannot be written to the disk. Up to 1 MiB of tags stay in memory, and later ones are lost. A restart
            loses those in memory.
            """,
        appearance: "The log says that tags are in memory only, or are not stored, with the reason.",
        cause: "The disk is full or read-only, or it fails.",
        action: "Free space on the disk of the buffer: see `df`. The monitor then stores tags again at once.",
        alerting: .init(.first))
}

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
}

/// `monitor.clock`: the tags of most channels agree with the clock of the machine.
package struct MonitorClock: HealthCheck {
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

    /// The minimum number of channels to compare.
    package static let minimumChannelCount = 3
    /// The maximum difference between offsets that count as the same, in seconds.
    private static let tolerance = 60.0

    /// The distance of a channel's tags from the wall clock.
    package struct Offset: Sendable, Hashable {
        /// The seconds from the wall clock to the time of the tags; negative if the tags are before the clock.
        let seconds: Double
        /// The maximum distance of the channel's tags from the wall clock, in seconds.
        let limit: Double

        /// Creates an offset.
        package init(seconds: Double, limit: Double) {
            self.seconds = seconds
            self.limit = limit
        }
    }

    /// Compares the tags of the channels with the wall clock.
    package static func check(_ offsets: [Offset]) -> CheckResult {
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
