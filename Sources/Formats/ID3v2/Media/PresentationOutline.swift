/// The facts known about a presentation before its segments are read: its renditions and their first segments.
package struct PresentationOutline: Sendable, Hashable {
    /// The input as the user specified it.
    package var source: String

    /// The renditions in the order of their indexes in observations; never empty.
    package var renditions: [Rendition]

    /// Creates a presentation with these renditions.
    package init(source: String, renditions: [Rendition]) {
        self.source = source
        self.renditions = renditions
    }

    /// One rendition.
    package struct Rendition: Sendable, Hashable {
        /// The media playlist's URI as written in its multivariant playlist; nil without one.
        package var name: String?

        /// The URI of the default audio in its audio group; nil if there is none.
        package var audioName: String?

        /// The media sequence number of its first segment; nil without a playlist, or without segments.
        package var firstMediaSequence: UInt64?

        /// The program date and time of its first segment, in Unix milliseconds; nil without one.
        package var firstDate: Int64?

        /// Whether the rendition has segments.
        package var hasSegments: Bool

        /// Whether its playlist may still receive segments.
        package var isLive: Bool

        /// Creates a rendition.
        package init(
            name: String?, audioName: String? = nil, firstMediaSequence: UInt64? = nil,
            firstDate: Int64? = nil, hasSegments: Bool = true, isLive: Bool = false
        ) {
            self.name = name
            self.audioName = audioName
            self.firstMediaSequence = firstMediaSequence
            self.firstDate = firstDate
            self.hasSegments = hasSegments
            self.isLive = isLive
        }
    }
}
