/// A tag that was appended as held and may be delivered now.
package struct ReleasedTag: Sendable, Hashable {
    /// The tag's place in the buffer.
    package let sequence: Int64
    /// What the body is from now on, of much the same size; nil for the one that was appended.
    package let body: [UInt8]?

    /// A tag that may be delivered now.
    package init(sequence: Int64, body: [UInt8]? = nil) {
        self.sequence = sequence
        self.body = body
    }
}

/// The same, its body as it is stored.
struct ReleasedRow: Sendable {
    let sequence: Int64
    /// The new body and how it is encoded; nil for the one that is there.
    let stored: (encoding: Int64, body: [UInt8])?
}
