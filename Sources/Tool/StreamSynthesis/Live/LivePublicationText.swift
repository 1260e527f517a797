import TextForms

/// What a live channel has published, for whoever compares it with what a client found: a line of JSON for each segment.
///
/// It is said of the stream, not of requests: a segment stands here whether it was ever asked for or listed.
struct LivePublicationText {
    let channel: LiveChannel

    /// The segments of so many milliseconds are said at most: a day.
    private static let longestTime: Int64 = 86_400_000

    /// The lines of the segments that have ended at a time, which counts from the station's start in milliseconds.
    func text(at time: Int64) -> [UInt8] {
        let timeline = channel.timeline
        let last = timeline.lastSegment(at: time)
        var writer = JSONWriter()
        for segment in max(0, last - Self.longestTime / timeline.length)...last {
            writer.beginObject()
            writer.write("segment", LivePlaylistText.name(of: segment, channel.settings))
            writer.write("media_sequence", timeline.mediaSequence(of: segment))
            writer.write("begin", timeline.start(of: segment))
            writer.write("end", timeline.start(of: segment + 1))
            writer.key("date")
            writer.value(time: channel.wallTime(of: segment))
            writer.key("owners")
            writer.beginArray()
            for entry in channel.tagEntries(in: segment) { writer.value(latin1: entry.ownerIdentifier ?? []) }
            writer.endArray()
            writer.endObject()
            writer.endLine()
        }
        return writer.bytes
    }
}
