package import ID3v2
import NielsenID3

/// The times of the advertisement breaks of a rendition, by the clock of its tags.
///
/// A report compares breaks with the times in the tags, which may differ from the time at which a segment is read. A
/// tag is at the position of its last second. Without a tag before the break, its time is that at which the segment
/// was due.
struct BreakTimes: Sendable {
    /// The position and the last time of the last DATA tag.
    private var anchor: (position: Double, time: WallTime)?
    /// The break at the end of the last segment, so far; nil for none.
    private(set) var open: Range<WallTime>?
    private var ended: [Range<WallTime>] = []

    /// Records the next segment; `due` is the time at which its last tag was due.
    mutating func observe(_ segment: ObservedSegment, isInBreak: Bool, tags: [PlacedTag], due: WallTime) {
        let start = time(at: segment.position) ?? due - segment.length
        let end = time(at: segment.end) ?? due
        if isInBreak {
            let first = open?.lowerBound ?? start
            open = first..<max(first, end)
        } else if let last = open {
            ended.append(last.lowerBound..<max(last.lowerBound, start))
            open = nil
        }
        guard let tag = tags.last(where: { DataTimes($0.occurrence) != nil }),
            let position = tag.place.position, let times = DataTimes(tag.occurrence)
        else { return }
        anchor = (position, WallTime(unixSeconds: Double(times.last)))
    }

    /// Returns the breaks that have ended since the last call.
    mutating func drain() -> [Range<WallTime>] {
        defer { ended = [] }
        return ended
    }

    private func time(at position: Double) -> WallTime? {
        anchor.map { $0.time + (position - $0.position) }
    }
}

/// The advertisement breaks of a channel, in the time of its tags.
package struct ChannelBreaks: Sendable {
    /// The breaks that have ended.
    package private(set) var ended: [Range<WallTime>] = []
    /// The break at the end of the last segment, so far; nil for none.
    package private(set) var open: Range<WallTime>?
    /// The maximum number of breaks that wait until they are read; later ones are dropped.
    private static let capacity = 64

    /// Adds the breaks of the rendition that was read last.
    mutating func add(_ times: inout BreakTimes) {
        ended += times.drain()
        ended.removeLast(max(0, ended.count - Self.capacity))
        open = times.open
    }

    /// Returns the breaks that have ended since the last call.
    package mutating func take() -> [Range<WallTime>] {
        defer { ended = [] }
        return ended
    }
}

extension ChannelHealth {
    /// Whether the checks run and the channel was reached or missed, so that breaks and outages are known.
    package var isWatched: Bool { activity.isChecked && state != .connecting && state != .ended }

    /// Whether the channel is in its quiet hours.
    package var isQuiet: Bool { activity == .quiet }
}
