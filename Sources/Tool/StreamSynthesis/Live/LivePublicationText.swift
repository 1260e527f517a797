import TextForms

/// The record of what a live channel has published, for comparison with a client's results, as one JSON line per
/// segment.
///
/// It describes the stream, not the requests: it includes segments that were never requested or listed.
struct LivePublicationText {
    let channel: LiveChannel

    /// The maximum time covered by the record: one day, in milliseconds.
    private static let longestTime: Int64 = 86_400_000

    /// Returns the lines for the segments that ended by `time`, in milliseconds from the station's start.
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
