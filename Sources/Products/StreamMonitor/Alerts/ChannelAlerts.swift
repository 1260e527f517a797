/// Alerts by their channel, each found without a search among those of other channels.
struct ChannelAlerts: Sendable {
    private var alerts: [String?: [Alert]] = [:]

    var isEmpty: Bool { alerts.isEmpty }

    /// All of them, oldest first.
    var all: [Alert] { alerts.values.flatMap(\.self).sorted(byIDAnd: \.since) }

    /// The number of those of each channel.
    var counts: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: alerts.compactMap { channel, alerts in channel.map { ($0, alerts.count) } })
    }

    /// The number of all.
    var count: Int { alerts.values.reduce(0) { $0 + $1.count } }

    /// The channels that have any.
    var channels: Set<String> { Set(alerts.keys.compactMap { $0 }) }

    /// Those of a channel, in the order of their insertion; nil for those of no single channel.
    subscript(channel: String?) -> [Alert] { alerts[channel] ?? [] }

    func contains(_ alert: Alert) -> Bool { self[alert.channel].contains { $0.id == alert.id } }

    mutating func insert(_ alert: Alert) { alerts[alert.channel, default: []].append(alert) }

    /// Removes an alert; returns false if it is not there.
    @discardableResult mutating func remove(_ alert: Alert) -> Bool {
        let channel = alert.channel
        guard let index = alerts[channel]?.firstIndex(where: { $0.id == alert.id }) else { return false }
        alerts[channel]?.remove(at: index)
        if alerts[channel]?.isEmpty == true { alerts[channel] = nil }
        return true
    }

    /// Replaces those with the same ids as these.
    mutating func replace(with newer: [Alert]) {
        for alert in newer {
            let index = alerts[alert.channel]?.firstIndex { $0.id == alert.id }
            if let index { alerts[alert.channel]?[index] = alert }
        }
    }
}

extension [Alert] {
    /// Returns the alerts in the order of a value, and of their ids where it is equal.
    ///
    /// The id is a text that is made at each access: here, once for each alert.
    func sorted(byIDAnd value: (Alert) -> some Comparable) -> [Alert] {
        map { (alert: $0, value: value($0), id: $0.id) }
            .sorted { ($0.value, $0.id) < ($1.value, $1.id) }
            .map(\.alert)
    }
}
