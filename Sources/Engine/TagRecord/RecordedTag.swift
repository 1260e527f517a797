package import NielsenID3
package import TimedMedia

/// One occurrence of a Nielsen tag: what it says, where it was found and at which time.
package struct RecordedTag: Sendable, Hashable {
    /// Where it was found.
    package var origin: TagOrigin

    /// The presentation time as the container has it; nil where it has none.
    package var time: MediaTimestamp?

    /// That time in seconds on the unwrapped clock, absolute; nil where there is none.
    package var seconds: Double?

    /// How it travelled.
    package var carriage: Carriage

    /// The tag's fields.
    package var tag: NielsenTag

    /// Whether the container ended, or lost a packet, before the tag did.
    package var isPartial: Bool

    /// The checks that this one tag fails: those of the tag, and those that are known from where it was read.
    package var problems: TagProblems

    /// One occurrence of a tag.
    package init(
        origin: TagOrigin, time: MediaTimestamp?, seconds: Double?, carriage: Carriage, tag: NielsenTag,
        isPartial: Bool = false
    ) {
        self.origin = origin
        self.time = time
        self.seconds = seconds
        self.carriage = carriage
        self.tag = tag
        self.isPartial = isPartial
        problems = tag.problems
    }

    /// The ids of the checks that this one tag fails, in the order of the checks.
    package var problemIDs: [String] {
        (isPartial ? ["carriage.pes-incomplete"] : []) + problems.ids
    }
}
