package import HLSInput

/// The renditions of a channel that are followed.
package enum FollowedRendition: Sendable, Hashable {
    /// The cheapest rendition that carries tags, found by reading each rendition for a while.
    case automatic
    /// The renditions that a choice selects.
    case chosen(RenditionChoice)

    /// The keywords of a choice; any other text is a URI.
    package static let words = ["auto"] + RenditionChoice.words

    /// Parses a keyword or a URI.
    package init(_ text: String) {
        self = text == "auto" ? .automatic : .chosen(RenditionChoice(text))
    }
}
