/// A value that stands for one alert of a channel.
protocol OfAlert {
    var alert: Alert { get }
}

extension Alert: OfAlert { var alert: Alert { self } }

/// Alerts by their channel, each found without a search among those of other channels.
struct ChannelAlerts<Item: OfAlert & Sendable>: Sendable {
    private var items: [String?: [Item]] = [:]

    var isEmpty: Bool { items.isEmpty }

    /// All of them, oldest first.
    var all: [Item] {
        items.values.flatMap { $0 }.sorted { ($0.alert.since, $0.alert.id) < ($1.alert.since, $1.alert.id) }
    }

    /// The number of those of each channel.
    var counts: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: items.compactMap { channel, items in channel.map { ($0, items.count) } })
    }

    /// The number of all.
    var count: Int { items.values.reduce(0) { $0 + $1.count } }

    /// The channels that have any.
    var channels: Set<String> { Set(items.keys.compactMap { $0 }) }

    /// Those of a channel, in the order of their insertion; nil for those of no single channel.
    subscript(channel: String?) -> [Item] { items[channel] ?? [] }

    func contains(_ alert: Alert) -> Bool { self[alert.channel].contains { $0.alert.id == alert.id } }

    mutating func insert(_ item: Item) { items[item.alert.channel, default: []].append(item) }

    /// Removes and returns the item of an alert; nil if there is none.
    @discardableResult mutating func remove(_ alert: Alert) -> Item? {
        let channel = alert.channel
        guard let index = items[channel]?.firstIndex(where: { $0.alert.id == alert.id }) else { return nil }
        let item = items[channel]?.remove(at: index)
        if items[channel]?.isEmpty == true { items[channel] = nil }
        return item
    }

    /// Replaces those with the same ids as these.
    mutating func replace(with newer: [Item]) {
        for item in newer {
            let channel = item.alert.channel
            let index = items[channel]?.firstIndex { $0.alert.id == item.alert.id }
            if let index { items[channel]?[index] = item }
        }
    }

    mutating func update(_ change: (inout Item) -> Void) {
        items = items.mapValues { items in
            items.map {
                var item = $0
                change(&item)
                return item
            }
        }
    }
}
