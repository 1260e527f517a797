/// What a sink said about tags of a batch: which it has, and which it never wants to see again.
///
/// A tag that is in neither list stays.
package struct Settlement: Sendable, Hashable {
    /// A tag that a collector refused for good.
    package struct Rejection: Sendable, Hashable {
        /// The tag's place in the store.
        package let sequence: Int64
        /// The collector's reason; what is longer than 64 bytes of UTF-8 is cut.
        package let code: String

        /// A tag that a collector refused for good.
        package init(sequence: Int64, code: String) {
            self.sequence = sequence
            self.code = code
        }
    }

    /// The places of the tags that are delivered and may be forgotten.
    package var delivered: [Int64]
    /// The tags that go among the dead.
    package var rejected: [Rejection]
    /// The sender's own state, to be written in the same transaction; nil leaves it as it is.
    package var deliveryState: [UInt8]?

    /// What a sink said about tags of a batch.
    package init(delivered: [Int64] = [], rejected: [Rejection] = [], deliveryState: [UInt8]? = nil) {
        self.delivered = delivered
        self.rejected = rejected
        self.deliveryState = deliveryState
    }
}
