import ID3v2
import StreamHealth
import Synchronization
import TagDelivery
import TagRecord
import TagStore
import TextForms

/// The periods of a channel for reports: when it was watched, in a break, quiet, in an outage, or on its backup.
///
/// A period becomes a record when it ends, and at each quarter of an hour, so that a crash loses at most the last
/// quarter. That time is then not watched either, so a report knows that it knows no breaks.
struct ChannelPeriods: Sendable {
    /// The interval at which open periods become records, in seconds.
    private static let cutInterval = 900.0
    /// The maximum number of records between two cuts; beyond it, the time up to the next cut is not watched.
    private static let maximumCount = 60
    /// The time without an observation after which the process was stopped, or the clock was set, in seconds.
    private static let longestStep = 60.0

    /// The states in the order of their records: watched time last, so that it is the first to be dropped.
    private static let states = Array(ChannelPeriod.State.allCases.reversed())

    private let channel: String
    private let monitor: String
    private var open: [ChannelPeriod.State: OpenPeriod] = [:]
    private var lastBreak: Range<WallTime>?
    private var lastTime: WallTime?
    private var count = 0

    private struct OpenPeriod: Sendable {
        var start: WallTime
        let reason: String?
    }

    /// Creates the periods of a channel that the monitor with a buffer of this id follows.
    init(channel: String, monitor: String) {
        self.channel = channel
        self.monitor = monitor
    }

    /// Observes the channel now, and returns the periods that have ended; called about once a second.
    ///
    /// - Parameters:
    ///   - name: The display name of the channel.
    ///   - isEnd: Whether this is the last observation.
    mutating func observe(_ health: inout ChannelHealth, name: String, isEnd: Bool = false) -> [ChannelPeriod]
    {
        let now = health.moment.wall
        let last = lastTime ?? now
        lastTime = now
        var periods: [ChannelPeriod] = []
        if now < last || now > last + Self.longestStep {
            for state in Self.states { close(state, at: last, name, to: &periods) }
        }
        for range in health.breaks.take() { add(range, to: &periods) }
        let current = Self.states(of: health)
        for state in Self.states where current[state] == nil {
            close(state, at: now, name, to: &periods)
        }
        for (state, period) in current where open[state] == nil {
            // Nothing is known of the time before the channel was watched.
            let start = open[.watched].map { max($0.start, min(period.start, now)) } ?? now
            open[state] = OpenPeriod(start: start, reason: period.reason)
        }
        if isEnd {
            if let range = health.breaks.open { add(range, to: &periods) }
            for state in Self.states { close(state, at: now, name, to: &periods) }
        } else if Self.quarter(of: now) != Self.quarter(of: last), now > last {
            cut(
                at: WallTime(unixSeconds: Self.quarter(of: now)), before: health.breaks.open, name,
                to: &periods)
            count = 0
        }
        return periods
    }

    /// Returns the states that last now, with their beginnings and reasons.
    private static func states(of health: ChannelHealth) -> [ChannelPeriod.State: OpenPeriod] {
        guard health.isWatched else { return [:] }
        let now = health.moment.wall
        var states = [ChannelPeriod.State.watched: OpenPeriod(start: now, reason: nil)]
        if health.isQuiet { states[.quiet] = OpenPeriod(start: now, reason: nil) }
        if health.state == .unreachable {
            states[.unreachable] = OpenPeriod(start: health.stateSince, reason: health.reason)
        }
        if health.state == .silent {
            states[.silent] = OpenPeriod(
                start: health.lastTagTime ?? health.stateSince, reason: health.reason)
        }
        if let use = health.backupUse { states[.backup] = OpenPeriod(start: use.since, reason: use.reason) }
        return states
    }

    private static func quarter(of time: WallTime) -> Double {
        (time.unixSeconds / cutInterval).rounded(.down) * cutInterval
    }

    /// Adds a break, unless another rendition has had it.
    private mutating func add(_ range: Range<WallTime>, to periods: inout [ChannelPeriod]) {
        if let lastBreak, range.lowerBound >= lastBreak.lowerBound - 1,
            range.upperBound <= lastBreak.upperBound + 1
        {
            return
        }
        lastBreak = range
        append(.advertisement, range, to: &periods)
    }

    private mutating func close(
        _ state: ChannelPeriod.State, at end: WallTime, _ name: String, to periods: inout [ChannelPeriod]
    ) {
        guard let period = open.removeValue(forKey: state), period.start < end else { return }
        append(state, period.start..<end, name: name, reason: period.reason, to: &periods)
    }

    /// Ends the open periods at a time, and begins them again.
    ///
    /// The time from the beginning of an open break on is watched with the end of the break.
    private mutating func cut(
        at time: WallTime, before openBreak: Range<WallTime>?, _ name: String,
        to periods: inout [ChannelPeriod]
    ) {
        for state in Self.states {
            guard let period = open[state] else { continue }
            var end = time
            if state == .watched, let start = openBreak?.lowerBound { end = min(time, start) }
            guard period.start < end else { continue }
            append(state, period.start..<end, name: name, reason: period.reason, to: &periods)
            open[state]?.start = end
        }
    }

    private mutating func append(
        _ state: ChannelPeriod.State, _ range: Range<WallTime>, name: String? = nil, reason: String? = nil,
        to periods: inout [ChannelPeriod]
    ) {
        let time =
            range.lowerBound
            .unixMilliseconds..<max(
                range.lowerBound.unixMilliseconds, range.upperBound.unixMilliseconds)
        guard !time.isEmpty else { return }
        count += 1
        // A report must not take time for watched in which periods were dropped.
        guard count <= Self.maximumCount else { return }
        periods.append(
            ChannelPeriod(
                state, of: channel, seenBy: monitor, at: time,
                name: state == .watched && name != channel ? name : nil, reason: reason))
    }
}

/// Stores the periods of all channels in the buffer, if the collector asks for them.
final class PeriodStore: Sendable {
    /// The maximum number of periods that wait; the oldest are dropped.
    private static let maximumCount = 20_000

    private let ingest: TagIngest
    private let isWanted: @Sendable () -> Bool
    private let note: @Sendable (String) -> Void
    private let waiting = Mutex<[ChannelPeriod]>([])

    init(
        in buffer: TagBuffer, isWanted: @escaping @Sendable () -> Bool,
        note: @escaping @Sendable (String) -> Void
    ) {
        ingest = TagIngest(into: .own(buffer))
        self.isWanted = isWanted
        self.note = note
    }

    /// Adds periods that `store` stores.
    func add(_ periods: [ChannelPeriod]) {
        guard !periods.isEmpty, isWanted() else { return }
        waiting.withLock {
            $0 += periods
            $0.removeFirst(max(0, $0.count - Self.maximumCount))
        }
    }

    /// Stores the periods that wait.
    func store() async {
        let periods = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        if periods.isEmpty { return }
        do throws(StoreError) {
            _ = try await ingest.append(periods.map { StoredRecord.period($0) })
        } catch {
            let records = DecimalText.count(
                periods.count, "record of a break or an outage is", "records of breaks and outages are")
            note("\(records) not stored: \(error)")
        }
    }
}
