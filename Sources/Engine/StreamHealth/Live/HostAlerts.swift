import NielsenID3

/// An alert to send, of one channel or of a host.
package enum AlertNotice: Sendable, Hashable {
    /// An alert of a single channel.
    case channel(ChannelAlert.Action, ChannelAlert)
    /// An alert of several channels on one host.
    case host(ChannelAlert.Action, HostAlert)
}

/// Sends one alert for a host when at least five of its channels, and half of them, fail together.
///
/// All channel alerts pass through it. Alerts of a host with at least five channels are held for some seconds while
/// more may follow. Alerts sent before the host's alert are cleared individually. The whole value is stored across a
/// restart. Times are seconds of a steady clock; after a restart, `move` converts stored times to the new clock.
package struct HostAlerts: Sendable, Codable {
    /// The number of failing channels that makes a host alert.
    private static let minimumCount = 5
    /// The interval within which failures count as simultaneous, in seconds.
    private static let togetherTime = 60.0
    /// The checks whose alert means that nothing of a channel is read, so that its other alerts follow from it.
    private static let deliveryChecks: Set<CheckID> = [.playlistHTTP, .playlistStale, .segmentHTTP]

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
    /// The open host alerts.
    private var open: [String: HostAlert] = [:]
    /// The channel alerts under each host alert that are still open; the host alert is cleared with the last one.
    private var remaining: [String: [ChannelAlert]] = [:]
    /// The later alerts that follow from one of these; they are sent if they outlast it.
    private var late: [Held] = []
    /// The times at which the open host alerts were raised.
    private var opened: [String: Double] = [:]
    /// The offset from the steady clock to the wall clock, in seconds.
    package var wallTimeOffset: Double = 0

    private struct Held: Sendable, Codable {
        let alert: ChannelAlert
        let host: String
        var time: Double
    }

    private enum CodingKeys: String, CodingKey {
        case holdTime, hosts, held, sent, open, remaining, late, opened
    }

    /// Decodes the stored value and derives the number of channels of each host.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        holdTime = try values.decode(Double.self, forKey: .holdTime)
        hosts = try values.decode([String: String].self, forKey: .hosts)
        held = try values.decode([Held].self, forKey: .held)
        sent = try values.decode([Held].self, forKey: .sent)
        open = try values.decode([String: HostAlert].self, forKey: .open)
        remaining = try values.decode([String: [ChannelAlert]].self, forKey: .remaining)
        late = try values.decode([Held].self, forKey: .late)
        opened = try values.decode([String: Double].self, forKey: .opened)
        for host in hosts.values { channelCounts[host, default: 0] += 1 }
    }

    /// Creates a value without alerts; `holdTime` is in seconds.
    package init(holdTime: Double = 10) { self.holdTime = holdTime }

    /// The open host alerts, oldest first.
    package var openAlerts: [HostAlert] {
        open.values.sorted { ($0.since, $0.host) < ($1.since, $1.host) }
    }

    /// The ids of open channel alerts that were not sent: they are held, or covered by a host alert.
    package var untold: Set<String> {
        Set((held + late).map(\.alert.id)).union(remaining.values.flatMap { $0.map(\.id) })
    }

    /// The channels with a known host.
    package var channels: Set<String> { Set(hosts.keys) }

    /// Sets the host of a channel; nil when the channel is no longer followed.
    package mutating func assign(channel: String, to host: String?) {
        if let before = hosts[channel] {
            guard before != host else { return }
            let count = channelCounts[before, default: 1] - 1
            channelCounts[before] = count > 0 ? count : nil
        }
        hosts[channel] = host
        if let host { channelCounts[host, default: 0] += 1 }
    }

    /// Shifts all stored times.
    package mutating func move(by seconds: Double) {
        for index in held.indices { held[index].time += seconds }
        for index in sent.indices { sent[index].time += seconds }
        for index in late.indices { late[index].time += seconds }
        opened = opened.mapValues { $0 + seconds }
    }

    /// Records an alert of a channel and returns the notices to send immediately.
    package mutating func observe(_ action: ChannelAlert.Action, _ alert: ChannelAlert, at time: Double)
        -> [AlertNotice]
    {
        switch action {
        case .raise: raise(alert, at: time)
        case .clear: clear(alert, at: time)
        }
    }

    /// Returns the alerts whose hold time has passed; call it about once a second.
    package mutating func advance(to time: Double) -> [AlertNotice] {
        let due = held.filter { time - $0.time >= holdTime || time < $0.time }
        guard !due.isEmpty else { return [] }
        held.removeAll { item in due.contains { $0.alert == item.alert } }
        sent += due
        return due.map { .channel(.raise, $0.alert) }
    }

    private mutating func raise(_ alert: ChannelAlert, at time: Double) -> [AlertNotice] {
        guard let host = hosts[alert.channel], channelCounts[host, default: 0] >= Self.minimumCount else {
            return [.channel(.raise, alert)]
        }
        if let hostAlert = open[host] {
            if joins(alert, hostAlert, at: time) {
                remaining[host, default: []].append(alert)
                return []
            }
            if isWithoutDelivery(alert.channel, of: host) {
                late.append(Held(alert: alert, host: host, time: time))
                return []
            }
        }
        return hold(alert, of: host, at: time)
    }

    /// Returns whether a host alert covers an alert: raised soon after it, for one of its channels or checks.
    private func joins(_ alert: ChannelAlert, _ hostAlert: HostAlert, at time: Double) -> Bool {
        guard let raised = opened[hostAlert.host], (time - raised).magnitude <= Self.togetherTime else {
            return false
        }
        return (hostAlert.members + remaining[hostAlert.host, default: []]).contains {
            $0.check == alert.check || $0.channel == alert.channel
        }
    }

    /// Returns whether the host alert still includes a delivery failure of the channel.
    private func isWithoutDelivery(_ channel: String, of host: String) -> Bool {
        remaining[host, default: []].contains {
            $0.channel == channel && Self.deliveryChecks.contains($0.check)
        }
    }

    /// Holds an alert, or raises the host alert with all held alerts.
    private mutating func hold(_ alert: ChannelAlert, of host: String, at time: Double) -> [AlertNotice] {
        held.append(Held(alert: alert, host: host, time: time))
        // A host has one alert at a time, so an alert that is too late for it is sent individually.
        guard open[host] == nil else { return [] }
        sent.removeAll { (time - $0.time).magnitude > Self.togetherTime }
        let members = (sent + held).filter { $0.host == host }.map(\.alert)
        let failing = Set(members.map(\.channel)).count
        guard failing >= Self.minimumCount, failing * 2 >= channelCounts[host, default: 0] else { return [] }
        let raised = HostAlert(host: host, since: time + wallTimeOffset, members: members)
        open[host] = raised
        opened[host] = time
        remaining[host] = held.filter { $0.host == host }.map(\.alert)
        held.removeAll { $0.host == host }
        return [.host(.raise, raised)]
    }

    private mutating func clear(_ alert: ChannelAlert, at time: Double) -> [AlertNotice] {
        if let index = held.firstIndex(where: { $0.alert.id == alert.id }) {
            // Raised and cleared while held: nothing was sent.
            held.remove(at: index)
            return []
        }
        if let index = late.firstIndex(where: { $0.alert.id == alert.id }) {
            late.remove(at: index)
            return []
        }
        for (host, alerts) in remaining {
            guard let index = alerts.firstIndex(where: { $0.id == alert.id }) else { continue }
            remaining[host]?.remove(at: index)
            var notices: [AlertNotice] = []
            if remaining[host]?.isEmpty ?? true {
                remaining[host] = nil
                opened[host] = nil
                if let hostAlert = open.removeValue(forKey: host) { notices = [.host(.clear, hostAlert)] }
            }
            return notices + holdLate(of: alert.channel, host: host, at: time)
        }
        sent.removeAll { $0.alert.id == alert.id }
        return [.channel(.clear, alert)]
    }

    /// Holds the channel's remaining alerts once it is delivered again.
    private mutating func holdLate(of channel: String, host: String, at time: Double) -> [AlertNotice] {
        guard !isWithoutDelivery(channel, of: host) else { return [] }
        let outlasting = late.filter { $0.host == host && $0.alert.channel == channel }
        late.removeAll { $0.host == host && $0.alert.channel == channel }
        return outlasting.flatMap { hold($0.alert, of: host, at: time) }
    }
}
