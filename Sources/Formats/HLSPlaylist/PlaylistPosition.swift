/// Where the reader of a live playlist stands, and what the next version of the playlist brings it.
///
/// A live playlist is fetched again and again; between two fetches segments join at its end and leave at its
/// start (RFC 8216, 6.2.2). Servers also answer with an older version, start over after a failure, and leave
/// out EXT-X-MEDIA-SEQUENCE, so that every version counts from 0. It is a value of bounded size.
package struct PlaylistPosition: Sendable, Hashable {
    /// The media sequence number of the last segment that was given; nil before the first.
    package private(set) var lastMediaSequence: Int?

    /// The last segments that were given, the newest last: what a version is compared with.
    private var recent: [Landmark] = []

    private static let maximumLandmarks = 32

    /// A position before the first segment.
    package init() {}

    /// Moves past the segments of the playlist that were not given yet, and says which those are.
    package mutating func advance(to playlist: MediaPlaylist) -> PlaylistAdvance {
        let advance = compare(playlist)
        for segment in advance.segments.suffix(Self.maximumLandmarks) {
            recent.append(Landmark(of: segment))
        }
        if advance.isReset { recent = advance.segments.suffix(Self.maximumLandmarks).map(Landmark.init(of:)) }
        if recent.count > Self.maximumLandmarks { recent.removeFirst(recent.count - Self.maximumLandmarks) }
        if let last = advance.segments.last {
            lastMediaSequence = last.mediaSequence
        } else if advance.isReset {
            lastMediaSequence = nil
        }
        return advance
    }

    private func compare(_ playlist: MediaPlaylist) -> PlaylistAdvance {
        let all = playlist.segments[...]
        guard let last = lastMediaSequence, let first = all.first, let newest = all.last else {
            return PlaylistAdvance(segments: all, missedCount: 0, isReset: false)
        }
        let isSame = agreement(with: playlist)
        if isSame != false, newest.mediaSequence >= last || isSame == true {
            // The count of those that left before they were seen: 0 where the versions touch or overlap.
            let missed = max(0, first.mediaSequence - last - 1)
            return PlaylistAdvance(
                segments: playlist.segments(after: last), missedCount: missed, isReset: false)
        }
        // Other segments under the same numbers, or lower numbers only. Where the segment given last is there
        // under another number, the numbers mean nothing and the list goes on after it.
        if let mark = recent.last,
            let index = all.lastIndex(where: { mark.isSame(as: $0, tolerance: playlist) })
        {
            return PlaylistAdvance(segments: all[(index + 1)...], missedCount: 0, isReset: false)
        }
        return PlaylistAdvance(segments: all, missedCount: 0, isReset: true)
    }

    /// Whether the segments under the numbers that both have are the same; nil where they have none in common.
    private func agreement(with playlist: MediaPlaylist) -> Bool? {
        guard let first = playlist.segments.first?.mediaSequence else { return nil }
        for mark in recent.reversed() {
            let index = mark.mediaSequence - first
            guard playlist.segments.indices.contains(index) else { continue }
            return mark.isSame(as: playlist.segments[index], tolerance: playlist)
        }
        return nil
    }
}

/// What a version of a live playlist brings.
package struct PlaylistAdvance: Sendable, Hashable {
    /// The segments that were not given before, in their order.
    package let segments: ArraySlice<MediaSegment>

    /// How many segments came and left between two versions, and can no longer be had.
    package let missedCount: Int

    /// Whether the stream started over: the segments do not continue those before, whatever their numbers.
    package let isReset: Bool
}

/// What a segment is known again by.
private struct Landmark: Sendable, Hashable {
    let mediaSequence: Int
    let path: String
    let byteRange: ByteRange?
    let dateMilliseconds: Int64?

    init(of segment: MediaSegment) {
        mediaSequence = segment.mediaSequence
        path = Self.path(of: segment.uri)
        byteRange = segment.byteRange
        dateMilliseconds = segment.programDateTimeMilliseconds
    }

    /// Whether this may be the same segment.
    ///
    /// Queries differ from fetch to fetch where addresses are signed, and so do directories where they hold a
    /// session: the name of the file decides. An encoder that starts over uses the same names again, but not
    /// the same dates.
    func isSame(as segment: MediaSegment, tolerance playlist: MediaPlaylist) -> Bool {
        guard path == Self.path(of: segment.uri), byteRange == segment.byteRange else { return false }
        guard let dateMilliseconds, let other = segment.programDateTimeMilliseconds else { return true }
        let tolerance = Int64(min(playlist.targetDuration ?? 10, 86_400)) * 1_000
        let (distance, overflow) = dateMilliseconds.subtractingReportingOverflow(other)
        return !overflow && distance.magnitude <= max(tolerance, 1_000)
    }

    private static func path(of uri: String) -> String {
        let path = uri.prefix { $0 != "?" && $0 != "#" }
        guard let slash = path.lastIndex(of: "/") else { return String(path) }
        return String(path[path.index(after: slash)...])
    }
}
