import NielsenID3
import TimedMedia

/// A tag with its place among the findings, and what the rules for all checks say of it.
struct PlacedTag: Sendable {
    let occurrence: TagOccurrence
    let place: Finding.Place
    /// Whether it lies in an advertisement break or is the first DATA tag after one: nothing says how it follows from
    /// the tag before.
    var followsBreak = false

    init(_ occurrence: TagOccurrence, index: Int, rendition: String?) {
        self.occurrence = occurrence
        place = Finding.Place(occurrence, index: index, rendition: rendition)
    }
}

extension Finding.Place {
    /// The place of a tag, the `index`th of its rendition.
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
}

extension TagOccurrence {
    /// Whether its owner identifier or checksum is broken, or part of it is missing.
    ///
    /// It is counted and listed then, but takes no part in the rules about its fields.
    var isBroken: Bool { isTruncated || tag.formatDefect != nil || tag.isChecksumValid == false }

    /// The kind that can be believed; nil for a broken tag.
    var validKind: NielsenTag.Kind? { isBroken ? nil : tag.kind }
}
