/// Hashes that identify an event message and its content, valid in this process only.
struct EventMessageDigest: Sendable, Hashable {
    /// The `id` of the message box.
    let id: UInt32
    /// The hash of scheme, value and id.
    let identity: Int
    /// The hash of the message data.
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

/// The most recent event messages, used to distinguish a repeat from a different message with the same id.
///
/// Packagers repeat an event in each segment to which it applies (ISO/IEC 23009-1, 5.10.3.3.3). Scheme, value and id
/// are then the same, and the message must be the same too. The history holds a bounded number of hashes.
struct EventMessageHistory: Sendable {
    private static let capacity = 1_024

    private var messages: [Int: Int] = [:]
    /// The identities of the events in arrival order, as a ring buffer.
    private var order: [Int] = []
    private var oldest = 0

    init() {}

    /// Adds an event and returns whether an earlier event with the same identity had a different message.
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
