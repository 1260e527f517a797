package import NielsenID3

/// The tags of a stream in the order of their positions, to find those that a player handed over.
///
/// Memory grows with the number of tags up to `maximumCount`, which is about 20 days of a tag every 10 seconds.
package struct StreamTags: Sendable {
    /// A tag of the stream.
    struct Entry: Sendable {
        let owner: [UInt8]
        /// The number of the tag; nil if it has none.
        let sequence: UInt16?
        /// Seconds of media from the start of the stream.
        let position: Double
        /// The length of the segment in seconds.
        let segmentDuration: Double
    }

    /// The part of a tag that survives an alteration elsewhere.
    private struct Core: Sendable, Hashable {
        let sequence: UInt16
        let first: UInt32

        init?(_ tag: NielsenTag) {
            guard let sequence = tag.sequence, let first = tag.firstTime else { return nil }
            (self.sequence, self.first) = (sequence, first)
        }
    }

    /// The maximum number of tags; further ones are not compared.
    package static let maximumCount = 200_000

    /// The stream as given by the user.
    package let source: String
    /// Whether the stream is the window of a live playlist: a player may have played more of it.
    package var isWindow = false
    private(set) var entries: [Entry] = []
    /// The earliest and the latest time of the tags; nil if none has one.
    private var times: ClosedRange<UInt32>?
    /// Whether the stream has more tags than are compared.
    package private(set) var isTruncated = false
    private var indices: [[UInt8]: [Int32]] = [:]
    private var cores: [Core: [Int32]] = [:]

    /// Creates an index without tags.
    package init(of source: String) { self.source = source }

    /// The number of tags.
    package var count: Int { entries.count }

    /// Adds the next tag; a copy in another rendition is not added.
    package mutating func append(_ tag: NielsenTag, position: Double, segmentDuration: Double) {
        let owner = tag.ownerIdentifier
        let known = indices[owner] ?? []
        if let last = known.last, abs(entries[Int(last)].position - position) < 1 { return }
        guard entries.count < Self.maximumCount, position.isFinite else {
            isTruncated = true
            return
        }
        let index = Int32(entries.count)
        entries.append(
            Entry(
                owner: owner, sequence: tag.sequence, position: position,
                segmentDuration: max(0, segmentDuration)))
        if let time = tag.firstTime {
            times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        }
        indices[owner, default: []].append(index)
        if let core = Core(tag) { cores[core, default: []].append(index) }
    }

    /// Returns the index of a tag: the first one after `last`, or else the nearest one; nil if the stream lacks it.
    func index(of tag: NielsenTag, after last: Int?) -> Int? {
        var owner = tag.ownerIdentifier
        if indices[owner] == nil { owner = Self.padded(owner) }
        return indices[owner].flatMap { Self.nearest(in: $0, after: last) }
    }

    /// Returns whether a tag that the stream lacks is from before or after its window.
    func isOutside(_ tag: NielsenTag, after last: Int?) -> Bool {
        guard isWindow else { return false }
        // A tag without a time is placed by those that were handed over before it.
        guard let time = tag.firstTime, let times else { return last == nil || last == entries.count - 1 }
        return !times.contains(time)
    }

    /// Returns the index of a tag that another one was made of by an alteration; nil if there is none.
    func original(of tag: NielsenTag, after last: Int?) -> Int? {
        if let known = Core(tag).flatMap({ cores[$0] }), let index = Self.nearest(in: known, after: last) {
            return index
        }
        // A damaged blob has no times: compares with the tags that may come next.
        let start = last.map { $0 + 1 } ?? 0
        return (start..<min(start + 8, entries.count)).first { index in
            let original = entries[index].owner
            guard original.count == tag.ownerIdentifier.count else { return false }
            return zip(original, tag.ownerIdentifier).count { $0 != $1 } <= original.count / 8
        }
    }

    private static func nearest(in indices: [Int32], after last: Int?) -> Int? {
        guard let last else { return indices.first.map { Int($0) } }
        return (indices.first { $0 > last } ?? indices.last).map { Int($0) }
    }

    /// Returns an owner identifier with the leading zeros of its offsets and its breakout.
    private static func padded(_ owner: [UInt8]) -> [UInt8] {
        var pieces = owner.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard pieces.count == 7 else { return owner }
        for (index, length) in [(4, 5), (5, 5), (6, 2)] where pieces[index].count < length {
            pieces[index] = ArraySlice(
                [UInt8](repeating: 0x30, count: length - pieces[index].count) + pieces[index])
        }
        return Array(pieces.joined(separator: [0x2F]))
    }
}
