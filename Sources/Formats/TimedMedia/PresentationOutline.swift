/// What is known of a presentation before its segments are read: its renditions, and where they begin.
package struct PresentationOutline: Sendable, Hashable {
    /// The input as the user gave it.
    package var source: String

    /// The renditions in the order in which observations number them; never empty.
    package var renditions: [Rendition]

    /// A presentation with these renditions.
    package init(source: String, renditions: [Rendition]) {
        self.source = source
        self.renditions = renditions
    }

    /// One rendition.
    package struct Rendition: Sendable, Hashable {
        /// The media playlist's URI as its multivariant playlist has it; nil without one.
        package var name: String?

        /// The URI of the default audio of its group; nil where none is named.
        package var audioName: String?

        /// The media sequence number of its first segment; nil without a playlist, or without segments.
        package var firstMediaSequence: UInt64?

        /// The program date and time of its first segment, in Unix milliseconds; nil without one.
        package var firstDate: Int64?

        /// Whether it has segments at all.
        package var hasSegments: Bool

        /// A rendition.
        package init(
            name: String?, audioName: String? = nil, firstMediaSequence: UInt64? = nil,
            firstDate: Int64? = nil, hasSegments: Bool = true
        ) {
            self.name = name
            self.audioName = audioName
            self.firstMediaSequence = firstMediaSequence
            self.firstDate = firstDate
            self.hasSegments = hasSegments
        }
    }
}
