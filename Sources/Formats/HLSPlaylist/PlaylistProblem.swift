/// A line of a playlist that breaks a rule, and was passed over or read as well as it could be.
package struct PlaylistProblem: Sendable, Hashable {
    /// The line, counted from 1.
    package let line: Int

    /// The rule that it breaks.
    package let rule: Rule

    /// How the line, or the part of it that is meant, reads; at most 80 bytes of it.
    package let text: String

    /// A rule of RFC 8216 or of its second edition.
    package enum Rule: String, Sendable, Hashable, CaseIterable {
        /// The first line is not `#EXTM3U` (4.3.1.1).
        case missingHeader
        /// Bytes that are no UTF-8 (4.1); they were replaced.
        case notUTF8
        /// A number that cannot be read or is out of its range (4.2); it was left out.
        case unreadableNumber
        /// A segment whose EXTINF is absent or unreadable (4.3.2.1); it was given the target duration.
        case missingDuration
        /// An EXTINF that no URI follows (4.3.2.1).
        case missingURI
        /// A date that cannot be read (4.3.2.6).
        case unreadableDate
        /// A byte range that cannot be read (4.3.2.2); the segment has none.
        case unreadableByteRange
        /// A byte range without offset that follows none of the same resource (4.3.2.2); it was put at 0.
        case byteRangeWithoutOffset
        /// An attribute list that cannot be read to its end (4.2).
        case malformedAttributes
        /// An attribute that its tag must have is absent.
        case missingAttribute
        /// An attribute, or a value of it, that its tag cannot have.
        case unreadableAttribute
        /// A tag that must stand elsewhere, or in the other kind of playlist (4.3).
        case misplacedTag
        /// A tag that may stand only once (4.3); the last one holds.
        case repeatedTag
        /// The media playlist has no EXT-X-TARGETDURATION (4.3.3.1).
        case missingTargetDuration
        /// More of something than a `PlaylistLimit` permits; the rest is left out.
        case tooManyEntries
        /// A variable that is not defined (second edition, 4.3); its reference was left as it is.
        case undefinedVariable
        /// A variable that was defined before (second edition, 4.4.2.3); the first definition holds.
        case repeatedVariable
    }
}

/// The first problems of a playlist and the count of all: a hostile playlist must not fill the memory.
package struct PlaylistProblems: Sendable, Hashable {
    /// How many problems are kept at most.
    package static let maximumListed = 100

    /// The first problems, at most `maximumListed`.
    package private(set) var first: [PlaylistProblem] = []

    /// How many there are.
    package private(set) var count = 0

    /// The limits that the playlist exceeds, each once.
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
