package import NielsenID3

/// The distance between consecutive DATA tags of a rendition in the presentation, for reports.
///
/// A damaged tag counts, because it fills its place. Two identical consecutive tags count once.
package struct TagSpacing: Sendable, Hashable {
    private var last: Double?
    private var lastSequence: UInt16?
    private var lastFirstTime: UInt32?

    /// Creates a spacing without observations.
    package init() {}

    /// Adds the next tag of the stream and returns its distance from the previous tag, in seconds.
    ///
    /// Returns nil for the first tag and for a tag that does not count.
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
