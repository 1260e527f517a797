import ID3v2
package import NielsenID3
import TextForms

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
    package static let ofMonitorItself = CheckRegistry.monitorChecks.map { $0.id }
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

/// The state of the monitor at one moment, as input of the checks of the monitor itself.
package struct MonitorFacts: Sendable {
    /// Seconds since the start of the monitor.
    package var uptime = 0.0
    /// Whether tags are delivered to a collector.
    package var hasCollector = false
    /// The reason why the delivery waits, or its last error; nil if there is none.
    package var deliveryTrouble: String?
    /// Whether the delivery waits for an operator.
    package var isHolding = false
    /// Whether a batch is in flight.
    package var isSending = false
    /// The number of tags that wait for delivery.
    package var waitingCount: Int64 = 0
    /// The number of tags that were delivered.
    package var deliveredCount: Int64 = 0
    /// The number of tags that the collector refused permanently.
    package var refusedCount: Int64 = 0
    /// The number of tags that the buffer has deleted without delivery.
    package var deletedCount: Int64 = 0
    /// The size of the buffer in percent of its limit; nil if unknown.
    package var bufferUse: Double?
    /// The reason why tags are not stored on the disk; nil if they are.
    package var diskProblem: String?
    /// The delay of each channel behind live, in seconds; nil if unknown.
    package var delays: [Double?] = []
    /// The seconds from the wall clock to each channel's tags, negative if they are before it, and the limit for it.
    ///
    /// Channels without a recent tag are left out.
    package var tagOffsets: [(seconds: Double, limit: Double)] = []

    /// Creates the state of a monitor without channels, collector or tags.
    package init() {}
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

    /// The number of delivered tags; nil before the first event.
    private var deliveredCount: Int64?
    /// The time of the last delivery, or of the last moment without waiting tags; nil if it was before a restart.
    private var deliveryTime: SteadyTime?

    mutating func judge(_ facts: MonitorFacts, into book: inout EpisodeBook) {
        let isDelivered = deliveredCount.map { facts.deliveredCount > $0 } ?? !book.isOpen(Self.id)
        deliveredCount = facts.deliveredCount
        if isDelivered || facts.waitingCount == 0 { deliveryTime = book.moment.steady }
        guard facts.hasCollector, facts.waitingCount > 0 else { return book.end(Self.id) }
        guard let deliveryTime else { return book.extend(Self.id) }
        let age = book.moment.steady - deliveryTime
        guard age > book.policy[.deliveryStalled] else { return book.end(Self.id) }
        book.violate(
            Self.id, .fail,
            DecimalText.count(facts.waitingCount, "tag waits", "tags wait")
                + ", and none was delivered for \(Int(age / 60)) min"
                + (facts.deliveryTrouble.map { ": \($0)" } ?? ""))
    }
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

    /// The number of refused tags; nil before the first event.
    private var refusedCount: Int64?
    /// The last time at which tags were refused.
    private var refusalTime: SteadyTime?

    mutating func judge(_ facts: MonitorFacts, into book: inout EpisodeBook) {
        // The times before a restart are unknown, so a problem that lasts counts as one of now.
        if facts.refusedCount > refusedCount ?? (book.isOpen(Self.id) ? 0 : .max) {
            refusalTime = book.moment.steady
        }
        refusedCount = facts.refusedCount
        if facts.isHolding, let trouble = facts.deliveryTrouble {
            book.violate(Self.id, .fail, "the collector needs an operator: \(trouble)")
        } else if facts.isSending, let trouble = facts.deliveryTrouble, book.isOpen(Self.id) {
            // While a probe is in flight, the reason for the hold is not over.
            book.violate(Self.id, .fail, trouble)
        } else if let refusalTime, book.moment.steady - refusalTime <= book.policy[.deliveryRefused] {
            book.violate(
                Self.id, .fail, "the collector refused tags permanently, \(facts.refusedCount) so far")
        } else {
            book.end(Self.id)
        }
    }
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

    /// The number of seconds after the last lost tag during which the buffer counts as evicting.
    private static let evictionTime = 600.0

    /// The number of tags that were deleted without delivery; nil before the first event.
    private var deletedCount: Int64?
    /// The last time at which tags were deleted.
    private var lossTime: SteadyTime?

    mutating func judge(_ facts: MonitorFacts, into book: inout EpisodeBook) {
        // The times before a restart are unknown, so a loss that lasts counts as one of now.
        let isLoss =
            deletedCount.map { facts.deletedCount > $0 } ?? (book.problem(of: Self.id)?.severity == .fail)
        deletedCount = facts.deletedCount
        if isLoss { lossTime = book.moment.steady }
        if let lossTime, book.moment.steady - lossTime <= Self.evictionTime {
            book.violate(
                Self.id, .fail, "tags that waited too long were deleted, \(facts.deletedCount) so far")
        } else if let use = facts.bufferUse, use >= book.policy[.bufferUse] {
            book.violate(
                Self.id, .warn,
                "the buffer uses \(Int(use)) % of its size limit: the oldest tags are deleted when it is full"
            )
        } else {
            book.end(Self.id)
        }
    }
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

    func judge(_ facts: MonitorFacts, into book: inout EpisodeBook) {
        guard let problem = facts.diskProblem else { return book.end(Self.id) }
        book.violate(Self.id, .fail, problem)
    }
}
