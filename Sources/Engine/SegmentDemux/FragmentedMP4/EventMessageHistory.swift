/// The event messages that were met lately, to tell a repeat from another message with the same id.
///
/// Packagers repeat an event in each segment that it concerns (ISO/IEC 23009-1, 5.10.3.3.3): scheme, value and
/// id are the same then, and the message must be too. It keeps hashes, of a bounded number of events.
struct EventMessageHistory: Sendable {
    private static let capacity = 1_024

    private var messages: [Int: Int] = [:]
    /// The events in the order they came, as a ring.
    private var order: [Int] = []
    private var oldest = 0

    init() {}

    /// Whether the event was met before with another message.
    mutating func isChange(scheme: String, value: String, id: UInt32, message: Span<UInt8>) -> Bool {
        var hasher = Hasher()
        hasher.combine(scheme)
        hasher.combine(value)
        hasher.combine(id)
        let event = hasher.finalize()
        hasher = Hasher()
        for index in message.indices { hasher.combine(message[index]) }
        let hash = hasher.finalize()
        if let known = messages.updateValue(hash, forKey: event) { return known != hash }
        if order.count < Self.capacity {
            order.append(event)
        } else {
            messages[order[oldest]] = nil
            order[oldest] = event
            oldest = (oldest + 1) % Self.capacity
        }
        return false
    }
}
