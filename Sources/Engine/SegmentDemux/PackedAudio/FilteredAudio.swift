internal import TimedMedia

/// The complete filter output for one segment of packed audio, in which nothing continues across segments.
struct FilteredAudio: Sendable {
    /// The tags, in byte order.
    var tags: [Tag] = []
    var facts = CarriageFacts()

    struct Tag: Sendable {
        let bytes: [UInt8]
        let time: MediaTimestamp?
        let offset: Int
        let completeness: TimedMetadata.Completeness
    }
}
