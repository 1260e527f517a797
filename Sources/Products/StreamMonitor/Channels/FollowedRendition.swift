package import HLSInput

/// Which renditions of a channel are followed.
package enum FollowedRendition: Sendable, Hashable {
    /// The cheapest of those that carry tags, which is found by reading each for a while.
    case automatic
    /// Those that a choice means.
    case chosen(RenditionChoice)

    /// The words that are choices; any other text is a URI.
    package static let words = ["auto"] + RenditionChoice.words

    /// What an operator means by a word.
    package init(_ text: String) {
        self = text == "auto" ? .automatic : .chosen(RenditionChoice(text))
    }
}
