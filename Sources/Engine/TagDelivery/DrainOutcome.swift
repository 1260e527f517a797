/// The result of `Uploader.drain`.
public struct DrainOutcome: Sendable, Hashable {
    /// Why a drain ended.
    public enum End: Sendable, Hashable {
        /// The buffer is empty.
        case drained
        /// The sink was unavailable until the time limit; the remaining records are still in the buffer.
        case gaveUp(reason: String)
        /// The task was cancelled.
        case cancelled
    }

    /// Why the drain ended.
    public let end: End
    /// The number of records that the sink received during the drain, including those that it already had.
    public let deliveredCount: Int
    /// The number of records that the sink refused permanently during the drain; they became dead letters.
    public let deadCount: Int
    /// The number of records that were waiting in the buffer at the end, including those appended meanwhile.
    public let waitingCount: Int

    /// Creates an outcome.
    package init(end: End, deliveredCount: Int, deadCount: Int, waitingCount: Int) {
        self.end = end
        self.deliveredCount = deliveredCount
        self.deadCount = deadCount
        self.waitingCount = waitingCount
    }
}

extension DrainOutcome: CustomStringConvertible {
    /// The outcome in one line, for a log, such as `drained: 13 delivered, 0 refused, 0 waiting`.
    public var description: String {
        let counts = "\(deliveredCount) delivered, \(deadCount) refused, \(waitingCount) waiting"
        return switch end {
        case .drained: "drained: \(counts)"
        case .gaveUp(let reason): "gave up: \(counts): \(reason)"
        case .cancelled: "cancelled: \(counts)"
        }
    }
}
