import NielsenID3

/// Sorts the tags of a rendition by PTS.
///
/// Tags in a segment are in byte order, which may differ from time order. A tag waits until the stream has been read
/// `span` seconds past it. A tag without a time stays directly after the previous tag.
struct ReorderWindow: Sendable {
    /// The waiting time of a tag, in seconds: two valid tags may each be 15 s away from the audio.
    private static let span = 30.0
    /// The maximum number of waiting tags.
    private static let capacity = 64

    private var waiting: [(time: Double, tag: PlacedTag)] = []
    /// The time of the last tag in reading order.
    private var last: Double?

    /// Returns whether a tag's time is so far before that of the previous tag that the clock must have jumped.
    func isBehindJump(_ tag: PlacedTag) -> Bool {
        guard let last, let seconds = tag.occurrence.seconds, seconds.isFinite else { return false }
        return seconds < last - Self.span
    }

    /// Adds a tag and returns the tags that need not wait any longer.
    ///
    /// The time of a tag that is out of sync does not determine its position.
    mutating func add(_ tag: PlacedTag, isInSync: Bool) -> [PlacedTag] {
        var time = last ?? 0
        if isInSync, let seconds = tag.occurrence.seconds, seconds.isFinite { time = seconds }
        last = time
        var index = waiting.endIndex
        while index > waiting.startIndex, waiting[index - 1].time > time { index -= 1 }
        waiting.insert((time, tag), at: index)
        let newest = waiting.last?.time ?? time
        let ready = waiting.firstIndex { $0.time > newest - Self.span } ?? waiting.endIndex
        return release(max(ready, waiting.count - Self.capacity))
    }

    /// Returns the tags that the stream was read far enough past.
    mutating func release(readTo position: Double) -> [PlacedTag] {
        let ready = waiting.firstIndex { $0.tag.occurrence.position > position - Self.span }
        return release(ready ?? waiting.endIndex)
    }

    /// Returns all waiting tags before the clock restarts.
    mutating func flush() -> [PlacedTag] {
        last = nil
        return release(waiting.count)
    }

    private mutating func release(_ count: Int) -> [PlacedTag] {
        guard count > 0 else { return [] }
        defer { waiting.removeFirst(count) }
        return waiting[..<count].map(\.tag)
    }
}
