import NielsenID3

/// Puts the tags of a rendition in the order of their PTS.
///
/// Tags lie in a segment in the order of their bytes, which need not be that of their times. A tag waits until the
/// stream has been read past it by `span` seconds; one without a time keeps its place after the tag before it.
struct ReorderWindow: Sendable {
    /// How long a tag waits, in seconds: tag and tag may each lie 15 s from the audio and be right.
    private static let span = 30.0
    /// How many tags wait at most.
    private static let capacity = 64

    private var waiting: [(time: Double, tag: PlacedTag)] = []
    /// The time of the last tag in reading order.
    private var last: Double?

    /// Whether a tag's time lies so far before the one in front of it that the clock must have jumped.
    func isBehindJump(_ tag: PlacedTag) -> Bool {
        guard let last, let seconds = tag.occurrence.seconds, seconds.isFinite else { return false }
        return seconds < last - Self.span
    }

    /// Takes a tag, and gives those that need wait no longer.
    ///
    /// Of a tag that is out of sync the time says nothing about its place.
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

    /// Returns the tags after which the stream was read far enough.
    mutating func release(readTo position: Double) -> [PlacedTag] {
        let ready = waiting.firstIndex { $0.tag.occurrence.position > position - Self.span }
        return release(ready ?? waiting.endIndex)
    }

    /// Gives all tags, in front of a place at which the clock starts anew.
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
