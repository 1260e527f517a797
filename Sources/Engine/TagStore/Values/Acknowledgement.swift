/// The answer of a sink to a batch: the delivered tags and the permanently refused ones.
///
/// A tag in neither list stays in the buffer.
package struct Acknowledgement: Sendable, Hashable {
    /// A tag that a collector permanently refused.
    package struct Refusal: Sendable, Hashable {
        /// The sequence of the tag.
        package let sequence: Int64
        /// The reason that the collector gave, truncated to 64 bytes of UTF-8 when stored.
        package let code: String

        /// Creates a refusal of the tag with a sequence.
        package init(sequence: Int64, code: String) {
            self.sequence = sequence
            self.code = code
        }
    }

    /// The sequences of the delivered tags, which are removed from the buffer.
    package var delivered: [Int64]
    /// The refused tags, which become dead letters.
    package var refused: [Refusal]
    /// The sender's state to write in the same transaction; nil leaves the stored state unchanged.
    package var deliveryState: [UInt8]?

    /// Creates an answer, empty by default.
    package init(delivered: [Int64] = [], refused: [Refusal] = [], deliveryState: [UInt8]? = nil) {
        self.delivered = delivered
        self.refused = refused
        self.deliveryState = deliveryState
    }
}
