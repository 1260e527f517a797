import NielsenID3

/// An alert that goes out: of one channel, or of a host.
package enum AlertNotice: Sendable, Hashable {
    /// Of a channel by itself.
    case channel(ChannelAlert.Action, ChannelAlert)
    /// Of several channels of a host at once.
    case host(ChannelAlert.Action, HostAlert)
}

/// Sends one alert instead of many where five channels and half of a host's fail together.
///
/// The alerts of all channels go through it. Those of a host with so many channels are held for some seconds, to see
/// whether others follow; what was sent by then is cleared by itself. It is kept over a restart as a whole. Times are seconds
/// by a clock that nobody sets; after a restart, `move` makes those that were kept times of the new clock.
package struct HostAlerts: Sendable, Codable {
    /// How many channels of a host must fail for one alert.
    private static let minimumCount = 5
    /// Within how many seconds they fail together.
    private static let togetherTime = 60.0
    /// While one of these is open nothing is read of a channel: what else it lacks follows from that.
    private static let deliveryChecks: Set<CheckID> = [.playlistHTTP, .playlistStale, .segmentHTTP]

    /// How many seconds an alert is held.
    private let holdTime: Double
    /// The host of each channel.
    private var hosts: [String: String] = [:]
    /// How many channels each host has.
    private var channelCounts: [String: Int] = [:]
    /// The alerts that wait, in the order in which they were raised.
    private var held: [Held] = []
    /// Those that were sent by themselves of late, and are open.
    private var sent: [Held] = []
    /// The alerts of hosts that are open.
    private var open: [String: HostAlert] = [:]
    /// What of these is still open: the host's alert is cleared with the last one.
    private var remaining: [String: [ChannelAlert]] = [:]
    /// Those that came later and follow from one of these: told where they outlast it.
    private var late: [Held] = []
    /// When the alerts of hosts that are open were raised.
    private var opened: [String: Double] = [:]
    /// What the wall clock is ahead of the clock that the times are of.
    package var wallTimeOffset: Double = 0

    private struct Held: Sendable, Codable {
        let alert: ChannelAlert
        let host: String
        var time: Double
    }

    private enum CodingKeys: String, CodingKey {
        case holdTime, hosts, held, sent, open, remaining, late, opened
    }

    /// Reads what `encode` wrote; how many channels a host has follows from the rest.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        holdTime = try values.decode(Double.self, forKey: .holdTime)
        hosts = try values.decode([String: String].self, forKey: .hosts)
        held = try values.decode([Held].self, forKey: .held)
        sent = try values.decode([Held].self, forKey: .sent)
        open = try values.decode([String: HostAlert].self, forKey: .open)
        remaining = try values.decode([String: [ChannelAlert]].self, forKey: .remaining)
        // Files of earlier versions lack it.
        late = try values.decodeIfPresent([Held].self, forKey: .late) ?? []
        opened =
            try values.decodeIfPresent([String: Double].self, forKey: .opened) ?? open.mapValues(\.since)
        for host in hosts.values { channelCounts[host, default: 0] += 1 }
    }

    /// Nothing raised yet; `holdTime` in seconds.
    package init(holdTime: Double = 10) { self.holdTime = holdTime }

    /// The alerts of hosts that are open, the oldest first.
    package var openAlerts: [HostAlert] {
        open.values.sorted { ($0.since, $0.host) < ($1.since, $1.host) }
    }

    /// The ids of the channels' alerts that are open and were not told: they wait, or a host's alert stands for them.
    package var untold: Set<String> {
        Set((held + late).map(\.alert.id)).union(remaining.values.flatMap { $0.map(\.id) })
    }

    /// The channels whose host is known.
    package var channels: Set<String> { Set(hosts.keys) }

    /// Says which host a channel is loaded from; nil for one that is not followed any more.
    package mutating func assign(channel: String, to host: String?) {
        if let before = hosts[channel] {
            guard before != host else { return }
            let count = channelCounts[before, default: 1] - 1
            channelCounts[before] = count > 0 ? count : nil
        }
        hosts[channel] = host
        if let host { channelCounts[host, default: 0] += 1 }
    }

    /// Moves all times that are kept.
    package mutating func move(by seconds: Double) {
        for index in held.indices { held[index].time += seconds }
        for index in sent.indices { sent[index].time += seconds }
        for index in late.indices { late[index].time += seconds }
        opened = opened.mapValues { $0 + seconds }
    }

    /// Takes an alert of a channel; gives what goes out at once.
    package mutating func observe(_ action: ChannelAlert.Action, _ alert: ChannelAlert, at time: Double)
        -> [AlertNotice]
    {
        switch action {
        case .raise: raise(alert, at: time)
        case .clear: clear(alert, at: time)
        }
    }

    /// Gives the alerts that waited long enough; to be called about once a second.
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

    /// Whether an alert is part of what the host's alert told: soon after it, and of its channels or checks.
    private func joins(_ alert: ChannelAlert, _ hostAlert: HostAlert, at time: Double) -> Bool {
        guard let raised = opened[hostAlert.host], (time - raised).magnitude <= Self.togetherTime else {
            return false
        }
        return (hostAlert.members + remaining[hostAlert.host, default: []]).contains {
            $0.check == alert.check || $0.channel == alert.channel
        }
    }

    /// Whether the host's alert says of a channel that it is not delivered, and that goes on.
    private func isWithoutDelivery(_ channel: String, of host: String) -> Bool {
        remaining[host, default: []].contains {
            $0.channel == channel && Self.deliveryChecks.contains($0.check)
        }
    }

    /// Holds an alert, or raises that of its host with all that are held.
    private mutating func hold(_ alert: ChannelAlert, of host: String, at time: Double) -> [AlertNotice] {
        held.append(Held(alert: alert, host: host, time: time))
        // A host has one alert at a time: what came too late for it is sent by itself.
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
            // Raised and cleared while it waited: nobody was told.
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

    /// Holds what a channel still lacks once it is delivered again.
    private mutating func holdLate(of channel: String, host: String, at time: Double) -> [AlertNotice] {
        guard !isWithoutDelivery(channel, of: host) else { return [] }
        let outlasting = late.filter { $0.host == host && $0.alert.channel == channel }
        late.removeAll { $0.host == host && $0.alert.channel == channel }
        return outlasting.flatMap { hold($0.alert, of: host, at: time) }
    }
}
