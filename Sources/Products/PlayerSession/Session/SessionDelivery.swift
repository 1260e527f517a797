/// The delivery of a folder's tags to the collector.
///
/// All sessions of the folder share it. A problem keeps its state until an attempt succeeds.
public struct SessionDelivery: Sendable, Hashable {
    /// The states of a delivery.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Nothing is delivered: there is no collector to deliver to, and `reason` says why.
        case off
        /// No tag waits for the disk or the collector, except held tags.
        case idle
        /// Tags are on their way.
        case sending
        /// The collector, the network or the disk fails at present; the session tries again by itself.
        case retrying
        /// An operator must fix the cause, such as a token or an address; the session tries every 15 minutes.
        case held
        /// Another process owns the buffer, and delivers its tags.
        case elsewhere
    }

    /// The state.
    public internal(set) var state: State
    /// The start of the problem, in milliseconds of Unix time; nil in other states than `retrying` and `held`.
    public internal(set) var since: Int64?
    /// The number of the problem in the guides; nil without a problem.
    public internal(set) var code: SessionErrorCode?
    /// The newest reason for the state, without secrets; nil for `idle` and `sending`.
    public internal(set) var reason: String?
    /// The number of tags that the collector has refused permanently, over all launches.
    public internal(set) var deadLetters: Int64 = 0

    init(_ state: State, reason: String? = nil) {
        self.state = state
        self.reason = reason
    }
}

/// The tags of a folder after `MeasurementSession.deliver(within:)`.
public struct SessionDelivered: Sendable, Hashable {
    /// The number of tags and other records that the collector has received during the call.
    public let delivered: Int64
    /// The number that is not delivered yet, on the disk or in memory, including held tags.
    public let waiting: Int64
    /// The number of waiting tags that are held until the playhead reaches them.
    public let held: Int
    /// The state of the delivery at the end of the call; its reason says why tags wait.
    public let delivery: SessionDelivery
    /// Whether all that was stored before the call has left the buffer, except held tags: the collector has received
    /// it, or has refused it permanently.
    public let isComplete: Bool
}

/// The tags of a folder at the end of a session.
public struct SessionEnding: Sendable, Hashable {
    /// Whether all tags that the session stored are on the disk.
    public let isStored: Bool
    /// The number of tags that were delivered since the session was created, or since the buffer was opened if that was
    /// later.
    public let delivered: Int64
    /// The number of tags that wait, which another session of the folder, or the next launch, sends; without those that
    /// are only in memory.
    public let waiting: Int64
    /// The state of the delivery when the session ended.
    public let delivery: SessionDelivery
}
