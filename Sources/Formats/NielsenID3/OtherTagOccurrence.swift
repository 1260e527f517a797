package import TimedMedia

/// One occurrence of an ID3 tag that is not a Nielsen tag: its bytes, its location and its time.
package struct OtherTagOccurrence: Sendable, Hashable {
    /// The tag as read from its container.
    package let metadata: TimedMetadata

    /// The location of the tag.
    package let place: TagPlace

    /// The tag's time in seconds on the unwrapped clock; nil if it has none.
    package let seconds: Double?

    /// Creates one occurrence of a tag.
    package init(metadata: TimedMetadata, place: TagPlace, seconds: Double?) {
        self.metadata = metadata
        self.place = place
        self.seconds = seconds
    }
}
