import ID3v2
import NielsenID3

/// A tag with its place in findings and its relation to advertisement breaks.
struct PlacedTag: Sendable {
    let occurrence: TagOccurrence
    var place: Finding.Place
    /// Whether it is in an advertisement break or is the first DATA tag after one, so that continuity with the previous
    /// tag cannot be checked.
    var followsBreak = false

    init(_ occurrence: TagOccurrence, index: Int, rendition: String?) {
        self.occurrence = occurrence
        place = Finding.Place(occurrence, index: index, rendition: rendition)
    }
}

extension Finding.Place {
    /// Creates the place of a tag with the given index in its rendition.
    init(_ tag: TagOccurrence, index: Int, rendition: String?) {
        self.init()
        self.rendition = rendition
        segment = tag.origin.place.segment
        mediaSequence = tag.origin.place.mediaSequence
        position = tag.position
        seconds = tag.seconds
        pts = tag.time?.ticks
        sequence = tag.tag.sequence
        tagIndex = index
    }

    /// Creates the place of a position in or at the end of a segment.
    init(_ segment: ObservedSegment, at position: Double, rendition: String?) {
        self.init()
        self.rendition = rendition
        self.segment = segment.name
        mediaSequence = segment.mediaSequence
        self.position = position
    }
}
