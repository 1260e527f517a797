import ID3v2
import NielsenID3
import StreamHealth

/// The first stage after the books: replaces the alerts of channels of one host by one alert when at least five of
/// these channels, and half of them, fail together.
///
/// Alerts of a host with at least five channels are held for some seconds while more may follow. Alerts sent before the
/// host's alert are cleared individually. Alerts that are not about a channel pass. The cost of an alert does not
/// depend on the number of others. The whole value is stored across a restart; after a restart, `move` converts stored
/// times to the new steady clock.
struct HostGrouping: Sendable {
    /// The number of failing channels that makes a host alert.
    private static let minimumCount = 5
    /// The interval within which failures count as simultaneous, in seconds.
    private static let togetherTime = 60.0

    /// The hold time of an alert, in seconds.
    private let holdTime: Double
    /// The host of each channel.
    private var hostOfChannel: [String: String] = [:]
    private var hosts: [String: Host] = [:]
    /// The host of each alert that is kept here, because a channel may move to another host meanwhile, and the time
    /// since which it is; by the id of the alert.
    private var kept: [String: (host: String, time: SteadyTime)] = [:]

    /// The channels of a host and their alerts.
    fileprivate struct Host: Sendable {
        var channelCount = 0
        /// The alerts that are held, in case others follow.
        var held = ChannelAlerts()
        /// The open alerts that were recently sent individually.
        var sent = ChannelAlerts()
        /// The later alerts that follow from one of the group; they are sent if they outlast it.
        var late = ChannelAlerts()
        var group: Group?
        /// The number of held and sent alerts of each channel.
        var failing: [String: Int] = [:]
        /// The last time at which old sent alerts were forgotten.
        var forgetTime: SteadyTime?

        var isEmpty: Bool {
            channelCount == 0 && group == nil && held.isEmpty && sent.isEmpty && late.isEmpty
        }
    }

    /// The alerts of channels that one alert of their host stands for.
    fileprivate struct Group: Sendable {
        let host: String
        /// The wall time at which it was raised.
        let since: WallTime
        /// The alerts of the host's channels that were open when it was raised.
        let members: [Alert]
        /// The alerts under it that are still open; it is cleared with the last one.
        var open = ChannelAlerts()
        /// The members that were sent individually before and are still open.
        var sent = ChannelAlerts()
        /// The channels of the host that failed at any time since it was raised, and the checks.
        var channels: Set<String>
        var checks: Set<CheckID>
        /// The time at which it was raised.
        var time: SteadyTime
        /// The last violation of the alerts that were cleared, in Unix seconds; nil before the first.
        var end: Double?

        /// The alert of the host with the channels that fail now.
        var alert: Alert { HostGrouping.alert(of: host, since: since, members: open.all + sent.all) }

        /// The alert of the host with all channels that failed.
        var finalAlert: Alert {
            let alert = HostGrouping.alert(of: host, since: since, members: members, channels: channels)
            return end.map(alert.ended) ?? alert
        }

        /// Adds an alert that the group covers.
        mutating func add(_ alert: Alert) {
            open.insert(alert)
            checks.insert(alert.check)
            if let channel = alert.channel { channels.insert(channel) }
        }

        /// Returns whether the group covers an alert: raised soon after it, for one of its channels or checks.
        func covers(_ alert: Alert, at time: SteadyTime) -> Bool {
            (time - self.time).magnitude <= togetherTime
                && (checks.contains(alert.check) || alert.channel.map(channels.contains) ?? false)
        }

        /// Returns whether the group still includes a delivery failure of a channel.
        func isWithoutDelivery(_ channel: String) -> Bool { open[channel].contains(where: \.stopsReading) }
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
        var alert = Alert(
            scope: .host(host, channels: channels), check: check, since: since.unixSeconds,
            severity: members.map(\.severity).max() ?? .fail,
            detail: "\(channels.count) channels of \(host) fail together: \(example)")
        alert.episode.onset = members.map(\.episode.onset).min() ?? since
        return alert
    }

    private var groups: [Group] { hosts.values.compactMap(\.group) }

    /// The open host alerts with the channels that fail now, oldest first.
    var openAlerts: [Alert] {
        groups.map(\.alert).sorted { ($0.since, $0.subject) < ($1.since, $1.subject) }
    }

    /// The ids of open channel alerts that were not sent: they are held, or covered by a host alert.
    var withheld: Set<String> {
        var ids: Set<String> = []
        for host in hosts.values {
            ids.formUnion((host.held.all + host.late.all).map(\.id))
            if let group = host.group { ids.formUnion(group.open.all.map(\.id)) }
        }
        return ids
    }

    /// The channels with a known host.
    var channels: Set<String> { Set(hostOfChannel.keys) }

    /// Sets the host of a channel; nil when the channel is no longer followed.
    mutating func assign(channel: String, to host: String?) {
        if let before = hostOfChannel[channel] {
            guard before != host else { return }
            hosts[before]?.channelCount -= 1
            hosts[before]?.group?.channels.remove(channel)
            forgetIfEmpty(before)
        }
        hostOfChannel[channel] = host
        if let host { hosts[host, default: Host()].channelCount += 1 }
    }

    private mutating func forgetIfEmpty(_ host: String) {
        if hosts[host]?.isEmpty == true { hosts[host] = nil }
    }

    /// Shifts all stored times.
    mutating func move(by seconds: Double) {
        kept = kept.mapValues { ($0.host, $0.time + seconds) }
        for name in hosts.keys {
            if let time = hosts[name]?.group?.time { hosts[name]?.group?.time = time + seconds }
        }
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
        var due: [(alert: Alert, time: SteadyTime)] = []
        for (name, host) in hosts where !host.held.isEmpty {
            for alert in host.held.all {
                guard let since = kept[alert.id]?.time, time - since >= holdTime || time < since else {
                    continue
                }
                hosts[name]?.held.remove(alert)
                hosts[name]?.sent.insert(alert)
                due.append((alert, since))
            }
        }
        return due.sorted { ($0.time, $0.alert.id) < ($1.time, $1.alert.id) }.map { .raised($0.alert) }
    }

    private mutating func raise(_ alert: Alert, at moment: ClockMoment) -> [AlertChange] {
        guard let channel = alert.channel, let name = hostOfChannel[channel],
            hosts[name]?.channelCount ?? 0 >= Self.minimumCount
        else { return [.raised(alert)] }
        kept[alert.id] = (name, moment.steady)
        // The group is changed in place: a copy would cost as much as it has alerts.
        if hosts[name]?.group?.covers(alert, at: moment.steady) == true {
            hosts[name]?.group?.add(alert)
            return []
        }
        if hosts[name]?.group?.isWithoutDelivery(channel) == true {
            hosts[name]?.late.insert(alert)
            return []
        }
        return hold(alert, of: name, at: moment)
    }

    /// Holds an alert, or raises the host alert with all held alerts.
    private mutating func hold(_ alert: Alert, of name: String, at moment: ClockMoment) -> [AlertChange] {
        let time = moment.steady
        kept[alert.id] = (name, time)
        hosts[name]?.held.insert(alert)
        if let channel = alert.channel { hosts[name]?.failing[channel, default: 0] += 1 }
        forgetSent(of: name, at: time)
        // A host has one alert at a time, so an alert that is too late for it is sent individually.
        let failing = hosts[name]?.failing.count ?? 0
        guard failing >= Self.minimumCount, failing * 2 >= hosts[name]?.channelCount ?? 0,
            var host = hosts[name], host.group == nil
        else { return [] }
        let (sent, held) = (host.sent.all, host.held.all)
        var group = Group(
            host: name, since: moment.wall, members: sent + held, channels: [],
            checks: Set(sent.map(\.check)), time: time)
        for alert in held { group.add(alert) }
        for alert in sent { group.sent.insert(alert) }
        group.channels.formUnion(sent.compactMap(\.channel))
        host.group = group
        host.held = ChannelAlerts()
        host.failing = host.sent.counts
        hosts[name] = host
        return [.raised(group.finalAlert)]
    }

    /// Forgets the alerts of a host that were sent too long ago to be of a group, at most once a second.
    private mutating func forgetSent(of name: String, at time: SteadyTime) {
        if let last = hosts[name]?.forgetTime, (time - last).magnitude < 1 { return }
        hosts[name]?.forgetTime = time
        for alert in hosts[name]?.sent.all ?? [] {
            guard let since = kept[alert.id]?.time, (time - since).magnitude > Self.togetherTime else {
                continue
            }
            removeSent(alert, of: name)
        }
    }

    private mutating func removeSent(_ alert: Alert, of name: String) {
        guard hosts[name]?.sent.remove(alert) == true else { return }
        countDown(alert, of: name)
    }

    private mutating func countDown(_ alert: Alert, of name: String) {
        guard let channel = alert.channel, let count = hosts[name]?.failing[channel] else { return }
        hosts[name]?.failing[channel] = count > 1 ? count - 1 : nil
    }

    private mutating func clear(_ alert: Alert, at moment: ClockMoment) -> [AlertChange] {
        guard let name = kept.removeValue(forKey: alert.id)?.host else { return [.cleared(alert)] }
        defer { forgetIfEmpty(name) }
        if hosts[name]?.held.remove(alert) == true {
            // Raised and cleared while held: nothing was sent.
            countDown(alert, of: name)
            return []
        }
        if hosts[name]?.late.remove(alert) == true { return [] }
        if hosts[name]?.group?.open.remove(alert) == true {
            let end = [hosts[name]?.group?.end, alert.end].compactMap { $0 }.max()
            hosts[name]?.group?.end = end
            var changes: [AlertChange] = []
            if let group = hosts[name]?.group, group.open.isEmpty {
                changes = [.cleared(group.finalAlert)]
                hosts[name]?.group = nil
            }
            return changes + holdLate(of: alert.channel, name, at: moment)
        }
        removeSent(alert, of: name)
        hosts[name]?.group?.sent.remove(alert)
        return [.cleared(alert)]
    }

    /// Holds the channel's remaining alerts once it is delivered again.
    private mutating func holdLate(
        of channel: String?, _ name: String, at moment: ClockMoment
    ) -> [AlertChange] {
        guard let channel, hosts[name]?.group?.isWithoutDelivery(channel) != true else { return [] }
        let outlasting = hosts[name]?.late[channel] ?? []
        for alert in outlasting { hosts[name]?.late.remove(alert) }
        return outlasting.flatMap { hold($0, of: name, at: moment) }
    }
}

/// The form in which the stage is stored across a restart.
extension HostGrouping: Codable {
    private enum CodingKeys: String, CodingKey {
        case holdTime, hosts, held, sent, open, remaining, late, opened
    }

    /// An alert that is kept here as it is stored.
    private struct StoredItem: Codable {
        let alert: Alert
        let host: String
        let time: SteadyTime
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
        /// The last violation of the alerts that were cleared; nil before the first.
        var end: Double?
    }

    /// Decodes the stored value and derives the number of channels of each host.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        holdTime = try values.decode(Double.self, forKey: .holdTime)
        hostOfChannel = try values.decode([String: String].self, forKey: .hosts)
        for host in hostOfChannel.values { hosts[host, default: Host()].channelCount += 1 }
        for (key, list) in [(CodingKeys.held, \Host.held), (.sent, \.sent), (.late, \.late)] {
            for item in try values.decode([StoredItem].self, forKey: key) {
                hosts[item.host, default: Host()][keyPath: list].insert(item.alert)
                kept[item.alert.id] = (item.host, item.time)
                guard key != .late, let channel = item.alert.channel else { continue }
                hosts[item.host]?.failing[channel, default: 0] += 1
            }
        }
        let opened = try values.decode([String: SteadyTime].self, forKey: .opened)
        let remaining = try values.decode([String: [Alert]].self, forKey: .remaining)
        for (name, stored) in try values.decode([String: StoredAlert].self, forKey: .open) {
            var group = Group(
                host: stored.host, since: WallTime(unixSeconds: stored.since), members: stored.members,
                channels: Set(stored.channels ?? stored.members.compactMap(\.channel)),
                checks: Set(stored.members.map(\.check)),
                time: opened[name] ?? SteadyTime(seconds: stored.since), end: stored.end)
            for alert in remaining[name] ?? [] {
                group.add(alert)
                kept[alert.id] = (name, group.time)
            }
            for alert in stored.sent ?? [] {
                group.sent.insert(alert)
                kept[alert.id] = kept[alert.id] ?? (name, group.time)
            }
            hosts[name, default: Host()].group = group
        }
    }

    /// Encodes the value.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(holdTime, forKey: .holdTime)
        try values.encode(hostOfChannel, forKey: .hosts)
        for (key, list) in [(CodingKeys.held, \Host.held), (.sent, \.sent), (.late, \.late)] {
            let items = hosts.values.flatMap { $0[keyPath: list].all }.compactMap { alert in
                kept[alert.id].map { StoredItem(alert: alert, host: $0.host, time: $0.time) }
            }
            try values.encode(items, forKey: key)
        }
        let groups = hosts.compactMapValues(\.group)
        try values.encode(groups.mapValues(\.time), forKey: .opened)
        try values.encode(groups.mapValues(\.open.all), forKey: .remaining)
        let open = groups.mapValues { group in
            let derived = Set((group.members + group.open.all).compactMap(\.channel))
            return StoredAlert(
                host: group.host, since: group.since.unixSeconds, members: group.members,
                sent: group.sent.isEmpty ? nil : group.sent.all,
                channels: group.channels == derived ? nil : group.channels.sorted(), end: group.end)
        }
        try values.encode(open, forKey: .open)
    }
}
