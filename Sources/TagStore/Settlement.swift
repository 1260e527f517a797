/// What a sink said about tags of a batch: which it has, and which it never wants to see again.
///
/// A tag that is in neither list stays.
public struct Settlement: Sendable, Hashable {
    /// A tag that a collector refused for good.
    public struct Rejection: Sendable, Hashable {
        /// The tag's place in the store.
        public let sequence: Int64
        /// The collector's reason; what is longer than 64 bytes of UTF-8 is cut.
        public let code: String

        /// A tag that a collector refused for good.
        public init(sequence: Int64, code: String) {
            self.sequence = sequence
            self.code = code
        }
    }

    /// The places of the tags that are delivered and may be forgotten.
    public var delivered: [Int64]
    /// The tags that go among the dead.
    public var rejected: [Rejection]
    /// The sender's own state, to be written in the same transaction; nil leaves it as it is.
    public var deliveryState: [UInt8]?

    /// What a sink said about tags of a batch.
    public init(delivered: [Int64] = [], rejected: [Rejection] = [], deliveryState: [UInt8]? = nil) {
        self.delivered = delivered
        self.rejected = rejected
        self.deliveryState = deliveryState
    }
}
