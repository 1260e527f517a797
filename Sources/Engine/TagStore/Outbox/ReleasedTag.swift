/// A tag that was appended as held and may now be delivered.
package struct ReleasedTag: Sendable, Hashable {
    /// The sequence of the tag.
    package let sequence: Int64
    /// The new body, of about the same size; nil keeps the appended body.
    package let body: [UInt8]?

    /// Creates a release of the tag with a sequence.
    package init(sequence: Int64, body: [UInt8]? = nil) {
        self.sequence = sequence
        self.body = body
    }
}

/// A released tag with its body in stored form.
struct ReleasedRow: Sendable {
    let sequence: Int64
    /// The new body and its encoding; nil keeps the current body.
    let stored: (encoding: Int64, body: [UInt8])?
}
