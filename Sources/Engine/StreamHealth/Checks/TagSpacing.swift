package import NielsenID3

/// How far the DATA tags of a rendition lie apart in its presentation, for reports.
///
/// A damaged tag counts: its place is filled. A tag that comes twice in a row counts once.
package struct TagSpacing: Sendable, Hashable {
    private var last: Double?
    private var lastSequence: UInt16?
    private var lastFirstTime: UInt32?

    /// The spacing of a rendition of which nothing was read yet.
    package init() {}

    /// Takes the next tag in the order of the stream, and tells how many seconds it lies after the one before; nil for
    /// the first, and for a tag that does not count.
    package mutating func observe(_ tag: TagOccurrence) -> Double? {
        if !tag.isTruncated, let kind = tag.tag.kind, kind != .data { return nil }
        guard tag.position.isFinite else { return nil }
        let isValid = tag.validKind == .data
        if isValid, let lastSequence, tag.tag.sequence == lastSequence, tag.tag.firstTime == lastFirstTime {
            return nil
        }
        lastSequence = isValid ? tag.tag.sequence : nil
        lastFirstTime = isValid ? tag.tag.firstTime : nil
        defer { last = tag.position }
        return last.map { max(0, tag.position - $0) }
    }
}
