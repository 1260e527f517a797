package import NielsenID3

/// A check of the monitor itself: its delivery, its buffer and its load.
///
/// It has no row for a channel.
protocol MonitorCheck: LiveCheck {}

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

    /// The ids of the checks of the monitor itself.
    package static let ofMonitorItself = [
        deliveryStalled, deliveryRefused, bufferEvicting, bufferDisk, monitorOverloaded,
    ]
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
enum DeliveryStalled: MonitorCheck {
    static let declaration = CheckDeclaration(
        .deliveryStalled, worst: .fail, clock: .wall, limits: [.deliveryStalled], rowLimit: .deliveryStalled,
        notRun: "There is no collector.",
        expectation: "The collector receives the waiting tags",
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
            """)
}

/// `delivery.refused`: the collector accepts the tags.
enum DeliveryRefused: MonitorCheck {
    static let declaration = CheckDeclaration(
        .deliveryRefused, worst: .fail, limits: [.deliveryRefused],
        notRun: "There is no collector.",
        expectation: "The collector accepts the tags",
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
            """)
}

/// `buffer.evicting`: the buffer has room for the tags.
enum BufferEvicting: MonitorCheck {
    static let declaration = CheckDeclaration(
        .bufferEvicting, worst: .fail, limits: [.bufferUse], rowLimit: .bufferUse,
        notRun: "The monitor has no buffer.",
        expectation: "The buffer has room for the tags",
        title: "The buffer is full or nearly full",
        meaning: """
            The buffer uses more than the limit of its maximum size, or it deletes its oldest tags to make room, or tags
            became older than `max-age`. Deleted tags are lost.
            """,
        appearance: "`dtvr_buffer_bytes` is near `dtvr_buffer_max_bytes`, or `dtvr_buffer_lost_total` grows.",
        cause: "The collector has been unavailable for long, or `max-bytes` is too small for the channels.",
        action:
            "Restore the delivery first. If that takes long and the disk has room, raise `max-bytes` and restart."
    )
}

/// `buffer.disk`: the buffer stores tags on the disk.
enum BufferDisk: MonitorCheck {
    static let declaration = CheckDeclaration(
        .bufferDisk, worst: .fail,
        notRun: "The monitor has no buffer.",
        expectation: "The disk takes the tags",
        title: "Tags cannot be stored",
        meaning: """
            Tags cannot be written to the disk. Up to 1 MiB of tags stay in memory, and later ones are lost. A restart
            loses those in memory.
            """,
        appearance: "The log says that tags are in memory only, or are not stored, with the reason.",
        cause: "The disk is full or read-only, or it fails.",
        action: "Free space on the disk of the buffer: see `df`. The monitor then stores tags again at once.")
}

/// `monitor.overloaded`: the channels are read in time.
enum MonitorOverloaded: MonitorCheck {
    static let declaration = CheckDeclaration(
        .monitorOverloaded, worst: .fail, clock: .wall, limits: [.lateChannels, .late],
        rowLimit: .lateChannels,
        notRun: "No channel is followed.",
        expectation: "The channels are read in time",
        title: "Many channels are read late",
        meaning: """
            For two minutes, more channels than the limit were read far behind the end of their playlists. Segments may
            leave the playlists before they are read, and their tags are then lost.
            """,
        appearance: "`dtvr_behind_live_seconds` of many channels is high.",
        cause:
            "This machine or its network is too slow for the channels, or a host of many channels is slow.",
        action:
            "Look at the processor and the network. Follow fewer channels or lower renditions on this machine."
    )
}
