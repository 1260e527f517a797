/// Where tags are delivered to.
///
/// A sink may be asked to deliver the same tags again, and must keep each once, told apart by its id. It answers
/// `received` only when they are durable there: after that the only other copy is gone.
public protocol TagSink: Sendable {
    /// What tells this sink from another, such as its address: what was learned of one (its encoding, its
    /// limits) is not used for another.
    var identity: String { get }

    /// Delivers a batch; one at a time is asked of it.
    func deliver(_ batch: TagBatch) async -> SinkOutcome
}

/// A sink's answer, and what came with it.
public struct SinkOutcome: Sendable, Hashable {
    /// The answer.
    public let answer: SinkAnswer
    /// The time at the sink, in milliseconds of Unix time, where it is known from somebody who proved who he is.
    public let serverTime: Int64?
    /// How many bytes were sent.
    public let sentByteCount: Int

    /// An answer.
    public init(_ answer: SinkAnswer, serverTime: Int64? = nil, sentByteCount: Int = 0) {
        self.answer = answer
        self.serverTime = serverTime
        self.sentByteCount = sentByteCount
    }
}
