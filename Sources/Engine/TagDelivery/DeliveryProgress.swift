/// What an uploader has done since it was made, and what it is about.
public struct DeliveryProgress: Sendable, Hashable {
    /// What an uploader is about.
    public enum Activity: Sendable, Hashable {
        /// Has nothing to send, or does not run.
        case idle
        /// Has a batch in flight.
        case sending
        /// Waits after a failure that may pass by itself, until a time in milliseconds of Unix time.
        case backingOff(until: Int64, reason: String)
        /// Waits for somebody to do something, and looks again then.
        case holding(until: Int64, reason: String)
        /// The buffer cannot be read or written at the moment.
        case bufferTrouble(reason: String)
    }

    /// What it is about.
    public internal(set) var activity: Activity = .idle
    /// How many batches were tried.
    public internal(set) var attemptCount = 0
    /// How many of them a sink has received.
    public internal(set) var batchCount = 0
    /// How many tags are delivered.
    public internal(set) var deliveredCount = 0
    /// How many of these the sink had received before.
    public internal(set) var duplicateCount = 0
    /// How many tags became dead letters.
    public internal(set) var deadCount = 0
    /// How many of these because their stored body could not be read.
    public internal(set) var unreadableCount = 0
    /// How many bytes were sent, as they were encoded.
    public internal(set) var sentByteCount = 0
    /// What went wrong last; nil where the last try went well.
    public internal(set) var lastTrouble: String?

    /// The progress of an uploader that has done nothing.
    public init() {}
}
