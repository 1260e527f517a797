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
    /// The number of the last request to retry that the uploader had taken when it last began to wait; 0 for none.
    var answeredRequest = 0
    /// Whether the last receipt, also one before a restart, asked for records of kind `period`.
    package internal(set) var wantsPeriods = false

    /// Creates the progress of an uploader that has not done anything yet.
    public init() {}
}

/// The progress of an uploader, readable from any thread, with a callback for changes.
final class ProgressBoard: Sendable {
    private struct State {
        var progress = DeliveryProgress()
        var followers: [Int: AsyncStream<DeliveryProgress>.Continuation] = [:]
        var nextFollower = 0
    }

    private let state = Mutex(State())
    private let report: @Sendable (DeliveryProgress) -> Void

    init(_ report: @escaping @Sendable (DeliveryProgress) -> Void) { self.report = report }

    var progress: DeliveryProgress { state.withLock { $0.progress } }

    func set(_ activity: DeliveryProgress.Activity) {
        update { $0.activity = activity }
    }

    func update(_ change: (inout DeliveryProgress) -> Void) {
        let (before, after) = state.withLock { state in
            let before = state.progress
            change(&state.progress)
            return (before, state.progress)
        }
        guard before != after else { return }
        report(after)
        // After the report, so that a follower finds its effects. Only one run at a time makes changes.
        state.withLock { state in
            for follower in state.followers.values { follower.yield(state.progress) }
        }
    }

    /// Returns a stream of the progress from now on, which begins with the current one and omits some if they are many.
    ///
    /// It ends with the run.
    func follow() -> AsyncStream<DeliveryProgress> {
        let (stream, follower) = AsyncStream.makeStream(
            of: DeliveryProgress.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextFollower += 1
            state.followers[state.nextFollower] = follower
            follower.yield(state.progress)
            return state.nextFollower
        }
        follower.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.followers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Ends the streams.
    func dismissFollowers() {
        let followers = state.withLock { state in
            defer { state.followers = [:] }
            return state.followers.values
        }
        for follower in followers { follower.finish() }
    }
}
