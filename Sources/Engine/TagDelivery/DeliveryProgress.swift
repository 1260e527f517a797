import Synchronization

/// The activity of an uploader and its counts since it was created.
public struct DeliveryProgress: Sendable, Hashable {
    /// The activity of an uploader.
    public enum Activity: Sendable, Hashable {
        /// Has nothing to send, or is not running.
        case idle
        /// Has a batch in flight.
        case sending
        /// Waits after a temporary failure; `until` is in milliseconds of Unix time.
        case backingOff(until: Int64, reason: String)
        /// Waits for an operator to fix the cause, and probes again at `until`, in milliseconds of Unix time.
        case holding(until: Int64, reason: String)
        /// The buffer is temporarily unreadable or read-only.
        case bufferTrouble(reason: String)

        /// The reason for a wait; nil if there is none.
        package var reason: String? {
            switch self {
            case .idle, .sending: nil
            case .backingOff(_, let reason), .holding(_, let reason), .bufferTrouble(let reason): reason
            }
        }
    }

    /// The current activity.
    public internal(set) var activity: Activity = .idle
    /// The number of batches that were attempted.
    public internal(set) var attemptCount = 0
    /// The number of batches that a sink has received.
    public internal(set) var batchCount = 0
    /// The number of tags that were delivered.
    public internal(set) var deliveredCount = 0
    /// The number of delivered tags that the sink already had.
    public internal(set) var duplicateCount = 0
    /// The number of tags that became dead letters.
    public internal(set) var deadCount = 0
    /// The number of dead letters whose stored body could not be read.
    public internal(set) var unreadableCount = 0
    /// The total size of the batches that were attempted, in bytes after compression.
    public internal(set) var sentByteCount = 0
    /// The last error, or nil if the last attempt succeeded.
    public internal(set) var lastTrouble: String?
    /// The kind of the last error; nil if the last attempt succeeded, or the sink does not say.
    package internal(set) var lastFailure: DeliveryFailure?
    /// The reason for the newest dead letter; nil before the first.
    package internal(set) var lastRefusal: String?
    /// Whether the last receipt, also one before a restart, asked for records of kind `period`.
    package internal(set) var wantsPeriods = false

    /// Creates the progress of an uploader that has not done anything yet.
    public init() {}
}

/// The progress of an uploader, readable from any thread, with a callback for changes.
final class ProgressBoard: Sendable {
    private let state = Mutex(DeliveryProgress())
    private let report: @Sendable (DeliveryProgress) -> Void

    init(_ report: @escaping @Sendable (DeliveryProgress) -> Void) { self.report = report }

    var progress: DeliveryProgress { state.withLock { $0 } }

    func set(_ activity: DeliveryProgress.Activity) {
        update { $0.activity = activity }
    }

    func update(_ change: (inout DeliveryProgress) -> Void) {
        let (before, after) = state.withLock { state in
            let before = state
            change(&state)
            return (before, state)
        }
        if before != after { report(after) }
    }
}
