/// A followed rendition of a live channel.
package struct ChannelRendition: Sendable, Hashable {
    /// The index that identifies it in observations.
    package let index: Int
    /// The name used in findings; nil for the only rendition.
    package let name: String?
    /// The name of its group's default audio; nil without one.
    package let audio: String?
    /// Whether it must carry the same tags as the other renditions.
    package let isComparable: Bool

    /// Creates a rendition.
    package init(index: Int, name: String?, audio: String? = nil, isComparable: Bool = true) {
        self.index = index
        self.name = name
        self.audio = audio
        self.isComparable = isComparable
    }
}
