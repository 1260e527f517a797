internal import TimedMedia

/// What a filter passed of one segment of packed audio: all there is, as nothing runs on between segments.
struct FilteredAudio: Sendable {
    /// The tags, in the order of their bytes.
    var tags: [Tag] = []
    var facts = CarriageFacts()

    struct Tag: Sendable {
        let bytes: [UInt8]
        let time: MediaTimestamp?
        let offset: Int
        let completeness: TimedMetadata.Completeness
    }
}
