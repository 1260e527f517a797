internal import TimedMedia

/// What tells an event message from others, and whether its message is another, as hashes of this process.
struct EventMessageDigest: Sendable, Hashable {
    /// The `id` of the message box.
    let id: UInt32
    /// Of scheme, value and id.
    let identity: Int
    /// Of the message.
    let message: Int

    init(scheme: String, value: String, id: UInt32, message: Span<UInt8>) {
        var hasher = Hasher()
        hasher.combine(scheme)
        hasher.combine(value)
        hasher.combine(id)
        identity = hasher.finalize()
        hasher = Hasher()
        for index in message.indices { hasher.combine(message[index]) }
        self.message = hasher.finalize()
        self.id = id
    }
}

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
    mutating func isChange(_ event: EventMessageDigest) -> Bool {
        if let known = messages.updateValue(event.message, forKey: event.identity) {
            return known != event.message
        }
        if order.count < Self.capacity {
            order.append(event.identity)
        } else {
            messages[order[oldest]] = nil
            order[oldest] = event.identity
            oldest = (oldest + 1) % Self.capacity
        }
        return false
    }
}
