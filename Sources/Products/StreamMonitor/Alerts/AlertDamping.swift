import NielsenID3
import StreamHealth
import TimedMedia

/// The second stage: keeps an alert in each of its two states for a minimum time, so that a problem that comes and goes
/// is one alert.
///
/// A clear passes once the problem has been over for the hold time. A raise passes once the alert has been cleared for
/// the hold time that is set. The hold time of an alert that recurs is doubled, up to a maximum. A clear whose check
/// has stopped passes at once.
struct AlertDamping: Sendable {
    /// The first hold time of some checks, as a multiple of the hold time that is set.
    ///
    /// A playlist that changes too rarely is stale only for the loads right before a change. Because loads and changes
    /// have different intervals, minutes can pass from one such load to the next.
    private static let holdCounts: [CheckID: Double] = [.playlistStale: 4]

    /// The hold time that is set, and the maximum of the doubled one, in seconds.
    private let hold: Double
    private let maximumHold: Double
    private var entries: [CheckID: Entry] = [:]

    /// The alert of one check.
    fileprivate struct Entry: Sendable {
        /// The hold time of an alert that does not recur, in seconds.
        let firstHold: Double
        /// The alert that has passed; nil while it is cleared.
        var passed: Alert?
        /// The alert of the rules; nil while the problem is over.
        var current: Alert?
        /// The last time at which `current` became nil.
        var overSince: SteadyTime?
        /// The time of the last clear that has passed.
        var clearedTime: SteadyTime?
        /// The time without the problem before the clear passes, in seconds.
        var hold: Double

        init(firstHold: Double, passed: Alert? = nil) {
            self.firstHold = firstHold
            self.passed = passed
            current = passed
            hold = firstHold
        }
    }

    /// Creates the stage of a channel whose alerts `open` have passed before.
    init(_ policy: HealthPolicy, open alerts: [Alert] = []) {
        hold = policy[.alertHold]
        maximumHold = max(hold, policy[.alertMaximumHold])
        for alert in alerts where entries[alert.check] == nil {
            entries[alert.check] = Entry(firstHold: firstHold(of: alert.check), passed: alert)
        }
    }

    private func firstHold(of check: CheckID) -> Double {
        min(maximumHold, hold * (Self.holdCounts[check] ?? 1))
    }

    /// The alerts that have passed and are not cleared, oldest first.
    var openAlerts: [Alert] {
        entries.values.compactMap(\.passed)
            .sorted { ($0.since, $0.check.rawValue) < ($1.since, $1.check.rawValue) }
    }

    /// The number of alerts that have passed and are not cleared.
    var openCount: Int { entries.values.count { $0.passed != nil } }

    /// Takes the changes of the rules at a time, and returns those that pass.
    ///
    /// - Parameter areFinal: Whether the checks have stopped, so that clears pass at once.
    mutating func pass(
        _ changes: [AlertChange], at time: SteadyTime, areFinal: Bool = false
    ) -> [AlertChange] {
        for change in changes {
            let check = change.alert.check
            var entry = entries[check] ?? Entry(firstHold: firstHold(of: check))
            switch change {
            case .raised(let alert): entry.current = alert
            case .cleared:
                entry.current = nil
                entry.overSince = time
                if areFinal { entry.hold = 0 }
            }
            entries[check] = entry
        }
        return advance(to: time)
    }

    /// Returns the changes whose time has come.
    private mutating func advance(to time: SteadyTime) -> [AlertChange] {
        var changes: [AlertChange] = []
        for (check, old) in entries {
            var entry = old
            if let change = entry.advance(to: time, hold: hold, maximumHold: maximumHold) {
                changes.append(change)
                entries[check] = entry
            } else if entry.isForgettable(at: time, maximumHold: maximumHold) {
                entries[check] = nil
            }
        }
        return changes.sorted {
            ($0.alert.since, $0.alert.check.rawValue) < ($1.alert.since, $1.alert.check.rawValue)
        }
    }
}

extension AlertDamping.Entry {
    /// Changes the state that has passed, if its minimum time is over, and returns the change.
    fileprivate mutating func advance(
        to time: SteadyTime, hold minimum: Double, maximumHold: Double
    ) -> AlertChange? {
        switch (passed, current) {
        case (nil, let alert?):
            if let clearedTime {
                guard time - clearedTime >= min(minimum, hold) else { return nil }
                let recurs = time - clearedTime < maximumHold
                hold = recurs ? min(maximumHold, max(firstHold, hold * 2)) : firstHold
            }
            passed = alert
            return .raised(alert)
        case (let alert?, nil):
            guard time - (overSince ?? time) >= hold else { return nil }
            passed = nil
            clearedTime = time
            return .cleared(alert)
        default: return nil
        }
    }

    /// Whether nothing is left to remember, because a new alert would not be a recurrence.
    fileprivate func isForgettable(at time: SteadyTime, maximumHold: Double) -> Bool {
        passed == nil && current == nil && clearedTime.map { time - $0 >= maximumHold } ?? true
    }
}
