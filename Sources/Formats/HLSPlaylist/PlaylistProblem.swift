/// An invalid line of a playlist, which was skipped or read in part.
package struct PlaylistProblem: Sendable, Hashable {
    /// The line, counted from 1.
    package let line: Int

    /// The broken rule.
    package let rule: Rule

    /// The invalid part of the line, at most 80 bytes.
    package let text: String

    /// A rule of RFC 8216 or of its second edition.
    package enum Rule: String, Sendable, Hashable, CaseIterable {
        /// The first line is not `#EXTM3U` (4.3.1.1).
        case missingHeader
        /// Bytes that are not valid UTF-8 (4.1); they are replaced.
        case notUTF8
        /// A number that is invalid or out of range (4.2); it is ignored.
        case unreadableNumber
        /// A segment whose EXTINF is absent or invalid (4.3.2.1); it has the target duration.
        case missingDuration
        /// An EXTINF without a URI after it (4.3.2.1).
        case missingURI
        /// An invalid date (4.3.2.6).
        case unreadableDate
        /// An invalid byte range (4.3.2.2); the segment has none.
        case unreadableByteRange
        /// A byte range without an offset or a preceding range of the same resource (4.3.2.2); its offset is 0.
        case byteRangeWithoutOffset
        /// A malformed attribute list (4.2).
        case malformedAttributes
        /// A required attribute is absent.
        case missingAttribute
        /// An attribute or attribute value that its tag does not permit.
        case unreadableAttribute
        /// A tag in the wrong place, or in the wrong kind of playlist (4.3).
        case misplacedTag
        /// A repeated tag that may occur only once (4.3); the last one counts.
        case repeatedTag
        /// The media playlist has no EXT-X-TARGETDURATION (4.3.3.1).
        case missingTargetDuration
        /// More entries than a `PlaylistLimit` permits; the rest is dropped.
        case tooManyEntries
        /// An undefined variable (second edition, 4.3); its reference stays unchanged.
        case undefinedVariable
        /// A variable that is already defined (second edition, 4.4.2.3); the first definition counts.
        case repeatedVariable
    }
}

/// The first problems of a playlist, with the count of all.
///
/// The list is bounded, so that a hostile playlist cannot fill the memory.
package struct PlaylistProblems: Sendable, Hashable {
    /// The maximum number of stored problems.
    package static let maximumListed = 100

    /// The first problems, at most `maximumListed`.
    package private(set) var first: [PlaylistProblem] = []

    /// The number of all problems.
    package private(set) var count = 0

    /// The exceeded limits, without duplicates.
    package private(set) var exceededLimits: [PlaylistLimit] = []

    /// Whether there are no problems.
    package var isEmpty: Bool { count == 0 }

    mutating func append(_ limit: PlaylistLimit) {
        if !exceededLimits.contains(limit) { exceededLimits.append(limit) }
    }

    mutating func append(line: Int, rule: PlaylistProblem.Rule, text: @autoclosure () -> String) {
        count += 1
        guard first.count < Self.maximumListed else { return }
        first.append(PlaylistProblem(line: line, rule: rule, text: text()))
    }
}
