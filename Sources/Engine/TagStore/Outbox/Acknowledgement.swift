/// What a sink said about tags of a batch: which it has, and which it never wants to see again.
///
/// A tag that is in neither list stays.
package struct Acknowledgement: Sendable, Hashable {
    /// A tag that a collector refused for good.
    package struct Refusal: Sendable, Hashable {
        /// The tag's place in the buffer.
        package let sequence: Int64
        /// The collector's reason; what is longer than 64 bytes of UTF-8 is truncated.
        package let code: String

        /// A tag that a collector refused for good.
        package init(sequence: Int64, code: String) {
            self.sequence = sequence
            self.code = code
        }
    }

    /// The places of the tags that are delivered and may be forgotten.
    package var delivered: [Int64]
    /// The tags that become dead letters.
    package var refused: [Refusal]
    /// The sender's own state, to be written in the same transaction; nil leaves it as it is.
    package var deliveryState: [UInt8]?

    /// What a sink said about tags of a batch.
    package init(delivered: [Int64] = [], refused: [Refusal] = [], deliveryState: [UInt8]? = nil) {
        self.delivered = delivered
        self.refused = refused
        self.deliveryState = deliveryState
    }
}
