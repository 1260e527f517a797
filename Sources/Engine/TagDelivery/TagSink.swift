import HTTPTransfer
import TagStore

/// A destination for tags.
///
/// A sink may receive the same tags again and must store each tag once, identified by its id. It answers `received`
/// only when the tags are durable, because the buffer then deletes its copy.
public protocol TagSink: Sendable {
    /// The identity of the sink, such as its address.
    ///
    /// What the uploader learns from a sink, such as its encoding and its limits, is not used for a sink with another
    /// identity.
    var identity: String { get }

    /// Delivers a batch; called for one batch at a time.
    func deliver(_ batch: TagBatch) async -> SinkOutcome
}

/// The answer of a sink, with the details of the attempt.
public struct SinkOutcome: Sendable, Hashable {
    /// The answer.
    public let answer: SinkAnswer
    /// The time at the sink in milliseconds of Unix time, if an authenticated server reported it.
    public let serverTime: Int64?
    /// The size of the body in bytes, after compression.
    public let sentByteCount: Int
    /// The kind of failure that the answer describes; nil for a success, and for a sink that does not say.
    package internal(set) var failure: DeliveryFailure?
    /// Whether the sink asks for records of kind `period`.
    package internal(set) var wantsPeriods = false

    /// Creates an outcome.
    public init(_ answer: SinkAnswer, serverTime: Int64? = nil, sentByteCount: Int = 0) {
        self.answer = answer
        self.serverTime = serverTime
        self.sentByteCount = sentByteCount
    }
}

/// The kind of a failed attempt, for programs that report it by number.
package enum DeliveryFailure: Sendable, Hashable {
    /// The collector could not be reached, or the connection broke.
    case network
    /// The request could not be sent as configured, or its answer was neither a receipt nor an error.
    case request
    /// The answer has a status other than success.
    case status

    /// Classifies the status of a response that is not a receipt.
    init(status: Int) { self = (200..<300).contains(status) ? .request : .status }

    /// Classifies the failure of a request without a response.
    init(_ error: HTTPTransferError) {
        switch error.kind {
        case .nameNotResolved, .notConnected, .timedOut, .interrupted: self = .network
        case .invalidRequest, .addressRefused, .tlsFailed, .redirectRefused, .bodyTooLarge, .headerTooLarge,
            .malformedResponse, .local, .cancelled, .closed:
            self = .request
        }
    }
}

extension BatchBuilder {
    /// Builds a batch from the first of `tags` and sends it; sends nothing if none can be read.
    func send(
        _ tags: [StoredTag], losses: LossTotals, attempt: Int, encoding: ContentEncoding, to sink: any TagSink
    ) async -> (built: Result, outcome: SinkOutcome?) {
        let built = batch(of: tags, losses: losses, attempt: attempt, encoding: encoding)
        guard let batch = built.batch else { return (built, nil) }
        return (built, await sink.deliver(batch))
    }
}
