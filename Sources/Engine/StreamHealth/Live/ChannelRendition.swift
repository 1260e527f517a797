package import NielsenID3

/// A followed rendition of a live channel.
package struct ChannelRendition: Sendable, Hashable {
    /// The identity in observations.
    package let id: RenditionID
    /// The name used in findings; nil for the only rendition.
    package let name: String?
    /// The name of its group's default audio; nil without one.
    package let audio: String?
    /// Whether it must carry the same tags as the other renditions.
    package let isComparable: Bool

    /// Creates a rendition.
    package init(id: RenditionID, name: String?, audio: String? = nil, isComparable: Bool = true) {
        self.id = id
        self.name = name
        self.audio = audio
        self.isComparable = isComparable
    }
}
