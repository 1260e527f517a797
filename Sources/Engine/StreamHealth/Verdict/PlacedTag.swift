import NielsenID3
import TimedMedia

/// A tag with its place among the findings, and what the rules for all checks say of it.
struct PlacedTag: Sendable {
    let observed: TagOccurrence
    let place: Finding.Place

    init(_ observed: TagOccurrence, index: Int, rendition: String?) {
        self.observed = observed
        var place = Finding.Place()
        place.rendition = rendition
        place.segment = observed.origin.segment
        place.mediaSequence = observed.origin.mediaSequence
        place.position = observed.position
        place.seconds = observed.seconds
        place.pts = observed.time?.ticks
        place.sequence = observed.tag.sequence
        place.tagIndex = index
        self.place = place
    }
}

extension TagOccurrence {
    /// Whether its owner identifier or checksum is broken, or part of it is missing.
    ///
    /// It is counted and listed then, but takes no part in the rules about its fields.
    var isBroken: Bool { isTruncated || !tag.problems.isDisjoint(with: [.format, .checksum]) }

    /// The kind that can be believed; nil for a broken tag.
    var soundKind: NielsenTag.Kind? { isBroken ? nil : tag.kind }
}
