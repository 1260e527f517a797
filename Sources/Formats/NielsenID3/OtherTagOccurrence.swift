package import TimedMedia

/// One occurrence of an ID3 tag that is not Nielsen's: its bytes, where it was found and at which time.
package struct OtherTagOccurrence: Sendable, Hashable {
    /// The tag as its container gave it.
    package let metadata: TimedMetadata

    /// Where it was found.
    package let place: TagPlace

    /// Its time in seconds on the unwrapped clock; nil where there is none.
    package let seconds: Double?

    /// One occurrence of a tag.
    package init(metadata: TimedMetadata, place: TagPlace, seconds: Double?) {
        self.metadata = metadata
        self.place = place
        self.seconds = seconds
    }
}
