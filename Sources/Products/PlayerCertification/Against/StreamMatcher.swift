import NielsenID3
import PlayerSession
import StreamHealth
import TextForms

/// The relation of a tag that a player handed over to the stream that it played.
struct StreamMatch: Sendable, Hashable {
    /// The kinds of relation.
    enum Relation: Sendable, Hashable {
        /// The tag is in the stream, and was handed over in time.
        case found
        /// A tag of the stream, between two that were handed over, was not.
        case missing(position: Double, place: Finding.Place)
        /// The tag was handed over later than others, by more than its segment.
        case late(seconds: Double, segment: Double)
        /// The tag was handed over before, without a seek since.
        case twice
        /// The tag was made of one in the stream by an alteration.
        case altered(position: Double)
        /// The stream has no such tag.
        case foreign
        /// The tag is from before or after what the live playlist of the stream lists.
        case outside
    }

    let relation: Relation
    /// The owner identifier of the tag, and its number; nil if the tag has none.
    let owner: [UInt8]
    let sequence: UInt16?

    init(_ relation: Relation, _ tag: NielsenTag) {
        (self.relation, owner, sequence) = (relation, tag.ownerIdentifier, tag.sequence)
    }

    init(_ relation: Relation, _ entry: StreamTags.Entry) {
        (self.relation, owner, sequence) = (relation, entry.owner, entry.sequence)
    }

    /// The tag in words.
    var tagText: String {
        let owner = PrintableText.of(String(decoding: owner, as: UTF8.self))
        return (sequence.map { "sequence \($0), " } ?? "") + owner
    }
}

/// Finds the tags of a player in a stream, in the order in which they were handed over.
///
/// A stretch is what the player plays without a seek: within one, each tag of the stream is due once.
struct StreamMatcher: Sendable {
    /// The maximum number of tags that may still be handed over late.
    private static let maximumPendingCount = 64
    /// The seconds beyond those that passed that make a jump in the stream.
    private static let jump = 30.0

    /// The index of the last tag in the order of the stream; nil before the first of a stretch.
    private var last: Int?
    private var first = 0
    private var lastTime = 0.0
    /// The tags of the stretch that were passed over, and may still come, with the call that passed them.
    private var pending: [(index: Int, place: Finding.Place)] = []
    /// The smallest and the largest distance from a tag to the playhead at which it was handed over.
    private var distances: (least: Double, most: Double)?

    /// Matches a tag, before the player's state follows it.
    ///
    /// - Parameter place: the call that handed it over.
    mutating func match(
        _ tag: NielsenTag, at place: Finding.Place, of player: PlayerTimeline, in stream: StreamTags
    ) -> [StreamMatch] {
        func match(_ relation: StreamMatch.Relation) -> [StreamMatch] { [StreamMatch(relation, tag)] }
        guard let index = stream.index(of: tag, after: last) else {
            if stream.isOutside(tag, after: last) { return match(.outside) }
            guard let original = stream.original(of: tag, after: last) else { return match(.foreign) }
            return match(.altered(position: stream.entries[original].position))
                + pass(to: original, place, player, stream)
        }
        let entry = stream.entries[index]
        if let last, index <= last {
            if let found = pending.firstIndex(where: { $0.index == index }) {
                pending.remove(at: found)
                return match(lateness(of: entry, player) ?? .found)
            }
            // Before the stretch began: a seek back that the playhead has not shown yet.
            return index >= first ? match(.twice) : end(place, player, stream) + start(at: index, player)
        }
        return pass(to: index, place, player, stream) + match(lateness(of: entry, player) ?? .found)
    }

    /// Moves on to a tag; those before it are missing, unless the player has jumped.
    private mutating func pass(
        to index: Int, _ place: Finding.Place, _ player: PlayerTimeline, _ stream: StreamTags
    ) -> [StreamMatch] {
        guard let last, index > last else {
            if last == nil { return start(at: index, player) }
            return []
        }
        let distance = stream.entries[index].position - stream.entries[last].position
        if distance > player.time - lastTime + Self.jump {
            return end(place, player, stream) + start(at: index, player)
        }
        pending += ((last + 1)..<index).map { ($0, place) }
        self.last = index
        lastTime = player.time
        let excess = max(0, pending.count - Self.maximumPendingCount)
        defer { pending.removeFirst(excess) }
        return pending.prefix(excess).map { missing($0.index, $0.place, stream) }
    }

    private func missing(_ index: Int, _ place: Finding.Place, _ stream: StreamTags) -> StreamMatch {
        let entry = stream.entries[index]
        return StreamMatch(.missing(position: entry.position, place: place), entry)
    }

    private mutating func start(at index: Int, _ player: PlayerTimeline) -> [StreamMatch] {
        (last, first, lastTime, pending, distances) = (index, index, player.time, [], nil)
        return []
    }

    /// Ends the stretch, and returns the tags that were due in it and never came.
    mutating func end(
        _ place: Finding.Place, _ player: PlayerTimeline, _ stream: StreamTags
    ) -> [StreamMatch] {
        defer { (last, pending, distances) = (nil, [], nil) }
        guard let last else { return [] }
        var missing = pending
        // Tags that the playhead has passed since the last one.
        if let distances, let playhead = player.contentPosition?.seconds {
            let end = playhead - max(0, distances.most)
            let passed = ((last + 1)..<stream.entries.count).prefix { index in
                let entry = stream.entries[index]
                return entry.position + entry.segmentDuration < end
            }
            missing += passed.map { ($0, place) }
        }
        return missing.map { self.missing($0.index, $0.place, stream) }
    }

    private mutating func lateness(
        of entry: StreamTags.Entry, _ player: PlayerTimeline
    ) -> StreamMatch.Relation? {
        guard !player.isAd, let playhead = player.contentPosition?.seconds else { return nil }
        let distance = playhead - entry.position
        let known = distances ?? (distance, distance)
        distances = (min(known.least, distance), max(known.most, distance))
        let late = distance - known.least
        return late > max(entry.segmentDuration, 1)
            ? .late(seconds: late, segment: entry.segmentDuration) : nil
    }
}

/// The comparison of a viewing session with the stream, for the report.
struct StreamSession: Sendable, Hashable {
    let instance: String
    let viewing: Int
    var handed = 0
    var found = 0
    var missing = 0
    var late = 0
    var twice = 0
    var altered = 0
    var foreign = 0
    var outside = 0

    mutating func add(_ match: StreamMatch) {
        switch match.relation {
        case .found: found += 1
        case .missing: missing += 1
        case .late:
            found += 1
            late += 1
        case .twice: twice += 1
        case .altered: altered += 1
        case .foreign: foreign += 1
        case .outside: outside += 1
        }
    }

    /// The keys and values of the JSON object.
    var members: [(String, Int)] {
        [
            ("viewing", viewing), ("handed", handed), ("found", found), ("missing", missing), ("late", late),
            ("twice", twice), ("altered", altered), ("foreign", foreign), ("outside", outside),
        ]
    }
}
