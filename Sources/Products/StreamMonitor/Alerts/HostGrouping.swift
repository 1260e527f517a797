import NielsenID3
import StreamHealth
import TimedMedia

/// The fourth stage: replaces the alerts of channels of one host by one alert when at least five of these channels, and
/// half of them, fail together.
///
/// Alerts of a host with at least five channels are held for some seconds while more may follow. Alerts sent before the
/// host's alert are cleared individually. Alerts that are not about a channel pass. The whole value is stored across a
/// restart; after a restart, `move` converts stored times to the new steady clock.
struct HostGrouping: Sendable {
    /// The number of failing channels that makes a host alert.
    private static let minimumCount = 5
    /// The interval within which failures count as simultaneous, in seconds.
    private static let togetherTime = 60.0
    /// The checks whose alert means that nothing of a channel is read, so that its other alerts follow from it.
    private static let deliveryChecks: Set<CheckID> = [
        .playlistHTTP, .playlistStale, .segmentHTTP, .channelEnded,
    ]

    /// The hold time of an alert, in seconds.
    private let holdTime: Double
    /// The host of each channel.
    private var hosts: [String: String] = [:]
    /// The number of channels of each host.
    private var channelCounts: [String: Int] = [:]
    /// The held alerts, in the order in which they were raised.
    private var held: [Held] = []
    /// The open alerts that were recently sent individually.
    private var sent: [Held] = []
    /// The hosts with an open alert.
    private var groups: [String: Group] = [:]
    /// The later alerts that follow from one of a group; they are sent if they outlast it.
    private var late: [Held] = []

    private struct Held: Sendable, Codable {
        let alert: Alert
        let host: String
        var time: SteadyTime
    }

    /// The alerts of channels that one alert of their host stands for.
    private struct Group: Sendable {
        let host: String
        /// The wall time at which it was raised.
        let since: WallTime
        /// The alerts of the host's channels that were open when it was raised.
        let members: [Alert]
        /// The alerts under it that are still open; it is cleared with the last one.
        var open: [Alert]
        /// The members that were sent individually before and are still open.
        var sent: [Alert]
        /// The channels of the host that failed at any time since it was raised.
        var channels: Set<String>
        /// The time at which it was raised.
        var time: SteadyTime

        /// The alert of the host with the channels that fail now.
        var alert: Alert { HostGrouping.alert(of: host, since: since, members: open + sent) }

        /// The alert of the host with all channels that failed.
        var finalAlert: Alert {
            HostGrouping.alert(of: host, since: since, members: members, channels: channels)
        }

        /// Adds an alert that the group covers.
        mutating func add(_ alert: Alert) {
            open.append(alert)
            if let channel = alert.channel { channels.insert(channel) }
        }

        /// Returns whether the group covers an alert: raised soon after it, for one of its channels or checks.
        func covers(_ alert: Alert, at time: SteadyTime) -> Bool {
            (time - self.time).magnitude <= togetherTime
                && (members + open).contains { $0.check == alert.check || $0.channel == alert.channel }
        }

        /// Returns whether the group still includes a delivery failure of a channel.
        func isWithoutDelivery(_ channel: String?) -> Bool {
            open.contains { $0.channel == channel && deliveryChecks.contains($0.check) }
        }
    }

    /// Creates a stage without alerts; `holdTime` is in seconds.
    init(holdTime: Double = 10) { self.holdTime = holdTime }

    /// Returns the alert of a host for the alerts of its channels, raised at `since`.
    ///
    /// It has the check that most members violate, the worst severity among them, and the detail of one member.
    ///
    /// - Parameter affected: The channels that it names; by default those of the members.
    private static func alert(
        of host: String, since: WallTime, members: [Alert], channels affected: Set<String>? = nil
    ) -> Alert {
        var counts: [CheckID: Int] = [:]
        for member in members { counts[member.check, default: 0] += 1 }
        let first = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
        let check = first?.key ?? .playlistHTTP
        let channels = (affected ?? Set(members.compactMap(\.channel))).sorted()
        let example = members.first { $0.check == check }?.detail ?? ""
        return Alert(
            scope: .host(host, channels: channels), check: check, since: since.unixSeconds,
            severity: members.map(\.severity).max() ?? .fail,
            detail: "\(channels.count) channels of \(host) fail together: \(example)")
    }

    /// The open host alerts with the channels that fail now, oldest first.
    var openAlerts: [Alert] {
        groups.values.map(\.alert).sorted { ($0.since, $0.subject) < ($1.since, $1.subject) }
    }

    /// The ids of open channel alerts that were not sent: they are held, or covered by a host alert.
    var withheld: Set<String> {
        Set((held + late).map(\.alert.id)).union(groups.values.flatMap { $0.open.map(\.id) })
    }

    /// The channels with a known host.
    var channels: Set<String> { Set(hosts.keys) }

    /// Sets the host of a channel; nil when the channel is no longer followed.
    mutating func assign(channel: String, to host: String?) {
        if let before = hosts[channel] {
            guard before != host else { return }
            let count = channelCounts[before, default: 1] - 1
            channelCounts[before] = count > 0 ? count : nil
            groups[before]?.channels.remove(channel)
        }
        hosts[channel] = host
        if let host { channelCounts[host, default: 0] += 1 }
    }

    /// Shifts all stored times.
    mutating func move(by seconds: Double) {
        for index in held.indices { held[index].time = held[index].time + seconds }
        for index in sent.indices { sent[index].time = sent[index].time + seconds }
        for index in late.indices { late[index].time = late[index].time + seconds }
        for (host, group) in groups { groups[host]?.time = group.time + seconds }
    }

    /// Returns the changes to send now instead of a change.
    mutating func observe(_ change: AlertChange, at moment: ClockMoment) -> [AlertChange] {
        switch change {
        case .raised(let alert): raise(alert, at: moment)
        case .cleared(let alert): clear(alert, at: moment)
        }
    }

    /// Returns the alerts whose hold time has passed; call it about once a second.
    mutating func advance(to time: SteadyTime) -> [AlertChange] {
        let due = held.filter { time - $0.time >= holdTime || time < $0.time }
        guard !due.isEmpty else { return [] }
        held.removeAll { item in due.contains { $0.alert == item.alert } }
        sent += due
        return due.map { .raised($0.alert) }
    }

    private mutating func raise(_ alert: Alert, at moment: ClockMoment) -> [AlertChange] {
        guard let channel = alert.channel, let host = hosts[channel],
            channelCounts[host, default: 0] >= Self.minimumCount
        else { return [.raised(alert)] }
        if let group = groups[host] {
            if group.covers(alert, at: moment.steady) {
                groups[host]?.add(alert)
                return []
            }
            if group.isWithoutDelivery(channel) {
                late.append(Held(alert: alert, host: host, time: moment.steady))
                return []
            }
        }
        return hold(alert, of: host, at: moment)
    }

    /// Holds an alert, or raises the host alert with all held alerts.
    private mutating func hold(_ alert: Alert, of host: String, at moment: ClockMoment) -> [AlertChange] {
        let time = moment.steady
        held.append(Held(alert: alert, host: host, time: time))
        // A host has one alert at a time, so an alert that is too late for it is sent individually.
        guard groups[host] == nil else { return [] }
        sent.removeAll { (time - $0.time).magnitude > Self.togetherTime }
        let members = (sent + held).filter { $0.host == host }.map(\.alert)
        let failing = Set(members.compactMap(\.channel)).count
        guard failing >= Self.minimumCount, failing * 2 >= channelCounts[host, default: 0] else { return [] }
        let group = Group(
            host: host, since: moment.wall, members: members,
            open: held.filter { $0.host == host }.map(\.alert),
            sent: sent.filter { $0.host == host }.map(\.alert),
            channels: Set(members.compactMap(\.channel)), time: time)
        groups[host] = group
        held.removeAll { $0.host == host }
        return [.raised(group.finalAlert)]
    }

    private mutating func clear(_ alert: Alert, at moment: ClockMoment) -> [AlertChange] {
        if let index = held.firstIndex(where: { $0.alert.id == alert.id }) {
            // Raised and cleared while held: nothing was sent.
            held.remove(at: index)
            return []
        }
        if let index = late.firstIndex(where: { $0.alert.id == alert.id }) {
            late.remove(at: index)
            return []
        }
        for (host, group) in groups {
            guard let index = group.open.firstIndex(where: { $0.id == alert.id }) else { continue }
            groups[host]?.open.remove(at: index)
            var changes: [AlertChange] = []
            if group.open.count == 1 {
                groups[host] = nil
                changes = [.cleared(group.finalAlert)]
            }
            return changes + holdLate(of: alert.channel, host: host, at: moment)
        }
        sent.removeAll { $0.alert.id == alert.id }
        for host in groups.keys { groups[host]?.sent.removeAll { $0.id == alert.id } }
        return [.cleared(alert)]
    }

    /// Holds the channel's remaining alerts once it is delivered again.
    private mutating func holdLate(of channel: String?, host: String, at moment: ClockMoment) -> [AlertChange]
    {
        guard groups[host]?.isWithoutDelivery(channel) != true else { return [] }
        let outlasting = late.filter { $0.host == host && $0.alert.channel == channel }
        late.removeAll { $0.host == host && $0.alert.channel == channel }
        return outlasting.flatMap { hold($0.alert, of: host, at: moment) }
    }
}

/// The form in which the stage is stored across a restart.
extension HostGrouping: Codable {
    private enum CodingKeys: String, CodingKey {
        case holdTime, hosts, held, sent, open, remaining, late, opened
    }

    /// The alert of a host as it is stored; all else follows from its members.
    private struct StoredAlert: Codable {
        let host: String
        let since: Double
        let members: [Alert]
        /// The open alerts that were sent individually; nil for none.
        var sent: [Alert]?
        /// All channels that failed; nil for those of the members and the open alerts.
        var channels: [String]?
    }

    /// Decodes the stored value and derives the number of channels of each host.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        holdTime = try values.decode(Double.self, forKey: .holdTime)
        hosts = try values.decode([String: String].self, forKey: .hosts)
        held = try values.decode([Held].self, forKey: .held)
        sent = try values.decode([Held].self, forKey: .sent)
        late = try values.decode([Held].self, forKey: .late)
        let opened = try values.decode([String: SteadyTime].self, forKey: .opened)
        let remaining = try values.decode([String: [Alert]].self, forKey: .remaining)
        for (host, stored) in try values.decode([String: StoredAlert].self, forKey: .open) {
            let open = remaining[host] ?? []
            groups[host] = Group(
                host: stored.host, since: WallTime(unixSeconds: stored.since), members: stored.members,
                open: open, sent: stored.sent ?? [],
                channels: Set(stored.channels ?? (stored.members + open).compactMap(\.channel)),
                time: opened[host] ?? SteadyTime(seconds: stored.since))
        }
        for host in hosts.values { channelCounts[host, default: 0] += 1 }
    }

    /// Encodes the value.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(holdTime, forKey: .holdTime)
        try values.encode(hosts, forKey: .hosts)
        try values.encode(held, forKey: .held)
        try values.encode(sent, forKey: .sent)
        try values.encode(late, forKey: .late)
        try values.encode(groups.mapValues(\.time), forKey: .opened)
        try values.encode(groups.mapValues(\.open), forKey: .remaining)
        let open = groups.mapValues { group in
            let derived = Set((group.members + group.open).compactMap(\.channel))
            return StoredAlert(
                host: group.host, since: group.since.unixSeconds, members: group.members,
                sent: group.sent.isEmpty ? nil : group.sent,
                channels: group.channels == derived ? nil : group.channels.sorted())
        }
        try values.encode(open, forKey: .open)
    }
}
