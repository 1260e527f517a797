/// A rendition of a live channel that is followed.
package struct ChannelRendition: Sendable, Hashable {
    /// What its observations name it by.
    package let index: Int
    /// Its name in findings; nil for an only one.
    package let name: String?
    /// The name of the default audio of its group; nil without one.
    package let audio: String?
    /// Whether it must carry the same tags as the others.
    package let isComparable: Bool

    /// A rendition.
    package init(index: Int, name: String?, audio: String? = nil, isComparable: Bool = true) {
        self.index = index
        self.name = name
        self.audio = audio
        self.isComparable = isComparable
    }
}
