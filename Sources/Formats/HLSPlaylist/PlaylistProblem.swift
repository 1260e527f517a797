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
        // The ids are printed; `explanation` describes each.
        case missingHeader
        case notUTF8
        case unreadableNumber
        case missingDuration
        case missingURI
        case unreadableDate
        case unreadableByteRange
        case byteRangeWithoutOffset
        case malformedAttributes
        case missingAttribute
        case unreadableAttribute
        case misplacedTag
        case mixedKinds
        case repeatedTag
        case missingTargetDuration
        case tooManyEntries
        case undefinedVariable
        case repeatedVariable

        /// The condition that breaks the rule, with the clause of RFC 8216 or of its second edition, and the effect.
        package var explanation: String {
            switch self {
            case .missingHeader: "The first line is not `#EXTM3U` (4.3.1.1)."
            case .notUTF8: "Bytes that are not valid UTF-8 (4.1); they are replaced."
            case .unreadableNumber: "A number that is invalid or out of range (4.2); it is ignored."
            case .missingDuration:
                "A segment whose EXTINF is absent or invalid (4.3.2.1); it has the target "
                    + "duration."
            case .missingURI: "An EXTINF without a URI after it (4.3.2.1)."
            case .unreadableDate: "An invalid date (4.3.2.6)."
            case .unreadableByteRange: "An invalid byte range (4.3.2.2); the segment has none."
            case .byteRangeWithoutOffset:
                "A byte range without an offset or a preceding range of the same resource "
                    + "(4.3.2.2); its offset is 0."
            case .malformedAttributes: "A malformed attribute list (4.2)."
            case .missingAttribute: "A required attribute is absent."
            case .unreadableAttribute: "An attribute or attribute value that its tag does not permit."
            case .misplacedTag: "A tag in the wrong place, or in the wrong kind of playlist (4.3)."
            case .mixedKinds:
                "A playlist with both segments and variant streams (4.3); the first of their tags decides which are "
                    + "read."
            case .repeatedTag: "A repeated tag that may occur only once (4.3); the last one counts."
            case .missingTargetDuration: "The media playlist has no EXT-X-TARGETDURATION (4.3.3.1)."
            case .tooManyEntries: "More entries than a `PlaylistLimit` permits; the rest is dropped."
            case .undefinedVariable:
                "An undefined variable (second edition, 4.3); its reference stays unchanged."
            case .repeatedVariable:
                "A variable that is already defined (second edition, 4.4.2.3); the first "
                    + "definition counts."
            }
        }
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
