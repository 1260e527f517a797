import ID3v2
import NielsenID3
import StreamHealth
import TagDelivery
import TagStore
import TextForms

/// The rules for the monitor itself: raise and clear the alerts of its delivery, its buffer, its load and its clock.
struct MonitorWatch: Sendable {
    /// The number of seconds after the last lost tag during which the buffer counts as evicting.
    private static let evictionTime = 600.0
    /// The number of seconds during which channels must be late.
    private static let overloadTime = 120.0
    /// The number of seconds during which the tags must agree or disagree with the clock.
    private static let clockTime = 60.0
    /// The number of seconds without a comparison before the alert of the clock is cleared.
    private static let unknownClockTime = 900.0

    private let policy: HealthPolicy
    private var book: EpisodeBook
    /// The time of the last delivery, or of the last moment without waiting tags.
    private var deliveryTime: SteadyTime?
    /// The last times at which tags were refused, and lost from the buffer.
    private var refusalTime: SteadyTime?
    private var lossTime: SteadyTime?
    /// The start of the time in which too many channels are late.
    private var lateSince: SteadyTime?
    /// The end of the time after a restart in which channels whose delay is unknown count as late.
    private var lateUntil: SteadyTime?
    /// Whether the tags disagree with the clock, nil if unknown, and since when that is so.
    private var clock: (isWrong: Bool?, since: SteadyTime)?
    private var before: Facts?
    private let start: SteadyTime

    /// The state of the monitor at one moment.
    struct Facts: Sendable {
        /// The progress of the delivery; nil without a collector.
        var delivery: DeliveryProgress?
        var totals = StoreTotals()
        /// The size of the buffer in percent of its limit; nil if unknown.
        var bufferUse: Double?
        /// The reason why tags are not stored on the disk; nil if they are.
        var diskProblem: String?
        /// The delay of each channel behind live, in seconds.
        var delays: [Double?] = []
        /// The distance of each channel's tags from the wall clock, without channels that have no recent tag.
        var tagOffsets: [MonitorClock.Offset] = []
    }

    /// Creates the rules that start with the episodes left open by a restart.
    init(_ policy: HealthPolicy, open episodes: [Episode] = [], at moment: ClockMoment) {
        self.policy = policy
        start = moment.steady
        book = EpisodeBook(policy: policy, open: episodes, at: moment)
    }

    /// The open alerts, oldest first.
    var openAlerts: [Alert] { book.open.map { Alert($0, of: .monitor) } }

    /// Whether the clock is off the tags of most channels, or may be: at the start, the channels are read first.
    ///
    /// Then the tags of each channel are off, and the clock is the cause.
    var hasClockProblem: Bool {
        guard let before, !book.isOpen(.monitorClock), clock?.isWrong != true else { return true }
        return clock?.isWrong == nil && book.moment.steady - start < Self.clockTime
            && before.delays.count >= MonitorClock.minimumChannelCount
    }

    /// Compares the facts with the limits, and returns the changes that pass; called about once a second.
    mutating func observe(_ facts: Facts, at moment: ClockMoment) -> [AlertChange] {
        book.moment = moment
        remember(facts, at: moment.steady)
        let problems: [(CheckID, (severity: CheckStatus, detail: String)?)] = [
            (.deliveryStalled, stall(facts, at: moment.steady).map { (.fail, $0) }),
            (.deliveryRefused, refusal(facts, at: moment.steady).map { (.fail, $0) }),
            (.bufferEvicting, eviction(facts, at: moment.steady)),
            (.bufferDisk, facts.diskProblem.map { (.fail, $0) }),
            (.monitorOverloaded, overload(facts, at: moment.steady).map { (.fail, $0) }),
            (.monitorClock, clockProblem(facts, at: moment.steady)),
        ]
        for (check, problem) in problems {
            if let problem {
                book.violate(check, problem.severity, problem.detail)
            } else {
                book.end(check)
            }
        }
        before = facts
        return book.takeChanges().map { AlertChange($0, of: .monitor) }
    }

    private mutating func remember(_ facts: Facts, at time: SteadyTime) {
        let isDelivered =
            before.map { facts.totals.delivered > $0.totals.delivered } ?? (!book.isOpen(.deliveryStalled))
        if isDelivered || facts.totals.inStore == 0 { deliveryTime = time }
        guard let before else { return resume(facts, at: time) }
        if facts.totals.losses.dead > before.totals.losses.dead { refusalTime = time }
        if facts.evictedCount > before.evictedCount { lossTime = time }
    }

    /// Continues the alerts left open by a restart: the times before it are unknown, so they count as now.
    private mutating func resume(_ facts: Facts, at time: SteadyTime) {
        if book.isOpen(.deliveryRefused), facts.totals.losses.dead > 0 { refusalTime = time }
        if book.problem(of: .bufferEvicting)?.severity == .fail { lossTime = time }
        if book.isOpen(.monitorOverloaded) {
            lateSince = time - Self.overloadTime
            lateUntil = time + Self.overloadTime
        }
    }

    private func stall(_ facts: Facts, at time: SteadyTime) -> String? {
        guard let delivery = facts.delivery, facts.totals.inStore > 0 else { return nil }
        // The last delivery was before a restart.
        guard let deliveryTime else { return book.problem(of: .deliveryStalled)?.detail }
        let age = time - deliveryTime
        guard age > policy[.deliveryStalled] else { return nil }
        let reason = delivery.activity.reason ?? delivery.lastTrouble
        return DecimalText.count(facts.totals.inStore, "tag waits", "tags wait")
            + ", and none was delivered for \(Int(age / 60)) min"
            + (reason.map { ": \($0)" } ?? "")
    }

    private func refusal(_ facts: Facts, at time: SteadyTime) -> String? {
        if case .holding(_, let reason) = facts.delivery?.activity {
            return "the collector needs an operator: \(reason)"
        }
        // While a probe is in flight, the reason for the hold is not over.
        if case .sending = facts.delivery?.activity, let trouble = facts.delivery?.lastTrouble,
            book.isOpen(.deliveryRefused)
        {
            return trouble
        }
        guard let refusalTime, time - refusalTime <= policy[.deliveryRefused] else { return nil }
        return "the collector refused tags permanently, \(facts.totals.losses.dead) so far"
    }

    private func eviction(_ facts: Facts, at time: SteadyTime) -> (severity: CheckStatus, detail: String)? {
        if let lossTime, time - lossTime <= Self.evictionTime {
            return (.fail, "tags that waited too long were deleted, \(facts.evictedCount) so far")
        }
        guard let use = facts.bufferUse, use >= policy[.bufferUse] else { return nil }
        return (
            .warn,
            "the buffer uses \(Int(use)) % of its size limit: the oldest tags are deleted when it is full"
        )
    }

    private mutating func overload(_ facts: Facts, at time: SteadyTime) -> String? {
        let unknown = lateUntil.map { time < $0 } ?? false ? Double.infinity : 0
        let late = facts.delays.count { $0 ?? unknown > policy[.late] }
        guard late > 0, Double(late) * 100 > policy[.lateChannels] * Double(facts.delays.count) else {
            lateSince = nil
            return nil
        }
        let start = lateSince ?? time
        lateSince = start
        guard time - start >= Self.overloadTime else { return nil }
        let channels = DecimalText.count(facts.delays.count, "channel")
        return "\(late) of \(channels) \(late == 1 ? "is" : "are") read more than "
            + "\(Int(policy[.late])) s late"
    }

    /// Returns the problem of the clock, which does not change until the comparison with the tags has given the same
    /// result for some time: after a restart, the channels are read one after the other.
    private mutating func clockProblem(
        _ facts: Facts, at time: SteadyTime
    ) -> (severity: CheckStatus, detail: String)? {
        var problem: (severity: CheckStatus, detail: String)?
        var isWrong: Bool?
        switch MonitorClock.check(facts.tagOffsets) {
        case .notRun: break
        case .pass: isWrong = false
        case .violation(let severity, let detail): (problem, isWrong) = ((severity, detail), true)
        }
        let since = clock.flatMap { $0.isWrong == isWrong ? $0.since : nil } ?? time
        clock = (isWrong, since)
        if time - since >= (isWrong == nil ? Self.unknownClockTime : Self.clockTime) { return problem }
        return book.problem(of: .monitorClock)
    }
}

extension MonitorWatch.Facts {
    /// The number of tags that the buffer has deleted without delivery.
    fileprivate var evictedCount: Int64 { totals.losses.evicted &+ totals.losses.expired }
}
