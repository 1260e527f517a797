import NielsenID3
import TimedMedia

/// A tag with its place among the findings, and what the rules for all checks say of it.
struct PlacedTag: Sendable {
    let occurrence: TagOccurrence
    let place: Finding.Place

    init(_ occurrence: TagOccurrence, index: Int, rendition: String?) {
        self.occurrence = occurrence
        var place = Finding.Place()
        place.rendition = rendition
        place.segment = occurrence.origin.place.segment
        place.mediaSequence = occurrence.origin.place.mediaSequence
        place.position = occurrence.position
        place.seconds = occurrence.seconds
        place.pts = occurrence.time?.ticks
        place.sequence = occurrence.tag.sequence
        place.tagIndex = index
        self.place = place
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
