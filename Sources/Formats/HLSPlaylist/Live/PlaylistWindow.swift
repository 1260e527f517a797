/// The newest segments listed by earlier loads of a live playlist, with the logic that relates a new load to them.
///
/// The media sequence number identifies a segment (RFC 8216, 3), so numbers decide wherever possible. File names decide
/// if numbers are absent or contradict earlier loads.
struct PlaylistWindow: Sendable, Hashable {
    /// The newest segments; their numbers increase by one.
    private(set) var segments: [KnownSegment] = []

    /// The parts of URIs that tell segments apart.
    private(set) var naming = SegmentNaming()

    /// The maximum number of remembered segments.
    static let maximumCount = 128

    /// The maximum memory of the remembered segments that the newest load skips, in bytes.
    ///
    /// Each may be from another load, with texts of its own; the listed ones are bounded by the size of one playlist.
    static let maximumSkippedByteCount = 1 << 18

    /// The maximum number of segments per load searched by name, because the cost grows with both counts.
    private static let maximumSearchCount = 4_096

    /// The relation of a load to the loads before it.
    enum Relation: Sendable, Hashable {
        /// Segments from this index on are new; known segments are renumbered if `renumberedBy` is not 0.
        case continues(at: Int, renumberedBy: Int = 0)
        /// Segments were removed before any load listed them, and all listed segments are new.
        case jumpsAhead
        /// The load lists only older segments.
        ///
        /// They are known ones if certain; otherwise they may come from an older version in a cache.
        case isOlder(isCertain: Bool)
        /// The stream restarted, and all listed segments are new.
        case startsOver
    }

    /// The media sequence number of the newest segment; nil before the first.
    var newest: Int? { segments.last?.mediaSequence }

    /// Returns the segment with this number.
    subscript(mediaSequence: Int) -> KnownSegment? {
        guard let first = segments.first?.mediaSequence else { return nil }
        let index = mediaSequence - first
        return segments.indices.contains(index) ? segments[index] : nil
    }

    /// Returns how a nonempty list of segments relates to the known ones.
    ///
    /// - Parameter isAfterEnd: Whether the known ones are those of a playlist that had ended. What follows is a new
    ///   stream, unless it lists the last of them.
    func relation(to listed: [MediaSegment], isAfterEnd: Bool) -> Relation {
        let relation = relation(to: listed)
        guard isAfterEnd, let known = segments.last, let first = listed.first else { return relation }
        let index = known.mediaSequence - first.mediaSequence
        if listed.indices.contains(index), known.isSame(as: listed[index], by: naming) { return relation }
        return .startsOver
    }

    /// Finds how the URIs tell segments apart in a load with new ones; a single segment does not show it.
    ///
    /// - Parameter isNumbered: Whether the playlist states the numbers of its segments.
    mutating func observeNaming(of listed: [MediaSegment], isNumbered: Bool) {
        if listed.last?.uri == segments.last?.uri { return }
        guard var found = SegmentNaming(listed) else { return }
        let sample = listed.suffix(SegmentNaming.sampleCount)
        if isNumbered {
            found.ignoreTokens(
                in: sample.compactMap { segment in
                    self[segment.mediaSequence].map { ($0.uri, segment.uri) }
                })
        } else {
            found.ignoreTokens(known: segments.map(\.uri), listed: sample.map(\.uri))
        }
        naming = found
    }

    private func relation(to listed: [MediaSegment]) -> Relation {
        guard let known = segments.last, let oldest = segments.first, let first = listed.first,
            let last = listed.last
        else { return .continues(at: 0) }
        if first.mediaSequence > known.mediaSequence {
            if first.mediaSequence == known.mediaSequence + 1 { return .continues(at: 0) }
            // The segments may be renumbered: their dates then show that they were listed before.
            if let found = relationByName(to: listed), case .continues(let next, _) = found, next > 0,
                known.isSame(as: listed[next - 1], by: naming), known.hasSameDate(as: listed[next - 1])
            {
                return found
            }
            return hasEarlierDates(listed) ? .isOlder(isCertain: false) : .jumpsAhead
        }
        if last.mediaSequence < oldest.mediaSequence { return relationBefore(listed) }
        let common = segments.compactMap { known -> (known: KnownSegment, now: MediaSegment)? in
            let index = known.mediaSequence - first.mediaSequence
            return listed.indices.contains(index) ? (known, listed[index]) : nil
        }
        if common.contains(where: { $0.isSame(as: $1, by: naming) || $0.hasSameDate(as: $1) }) {
            // A restart may reuse numbers and names in another folder or with another query.
            let isCertain = common.contains { $0.uri == $1.uri || $0.hasSameDate(as: $1) }
            return last.mediaSequence < known.mediaSequence
                ? .isOlder(isCertain: isCertain)
                : .continues(at: known.mediaSequence - first.mediaSequence + 1)
        }
        // Every number identifies a different segment than before.
        if let found = relationByName(to: listed) { return found }
        let hasOtherDate = common.contains { $0.hasOtherDate(than: $1) }
        if hasOtherDate, hasEarlierDates(listed) { return .isOlder(isCertain: false) }
        if last.mediaSequence > known.mediaSequence {
            let isOther = hasOtherDate && !common.contains { $0.hasSameResource(as: $1, by: naming) }
            return isOther ? .startsOver : .continues(at: known.mediaSequence - first.mediaSequence + 1)
        }
        return last.mediaSequence == known.mediaSequence && !hasOtherDate
            ? .continues(at: listed.count) : .startsOver
    }

    /// Returns the relation to a load whose numbers are all lower than the known ones.
    private func relationBefore(_ listed: [MediaSegment]) -> Relation {
        if let found = relationByName(to: listed) { return found }
        guard let oldest = segments.first, let last = listed.last else { return .startsOver }
        if hasEarlierDates(listed) { return .isOlder(isCertain: false) }
        if oldest.dateMilliseconds != nil, last.programDateTimeMilliseconds != nil { return .startsOver }
        let reach = max(listed.count, segments.count)
        return oldest.mediaSequence - last.mediaSequence <= reach ? .isOlder(isCertain: false) : .startsOver
    }

    /// Returns whether all segments of a load have earlier dates than the known ones.
    private func hasEarlierDates(_ listed: [MediaSegment]) -> Bool {
        guard let date = segments.first?.dateMilliseconds,
            let other = listed.last?.programDateTimeMilliseconds
        else { return false }
        return other < date
    }

    /// Returns the relation according to file names; nil if no listed segment is a known one.
    private func relationByName(to listed: [MediaSegment]) -> Relation? {
        guard let newest, let first = listed.first, let offset = offset(in: listed) else { return nil }
        let next = min(max(0, newest - offset + 1), listed.count)
        return .continues(at: next, renumberedBy: first.mediaSequence - offset)
    }

    /// Returns the number to add to the index of a listed segment to get the number of the matching known segment.
    ///
    /// All segments common to both lists must match. Among several possible alignments, the one with the most common
    /// segments counts.
    func offset(in listed: [MediaSegment]) -> Int? {
        guard let first = segments.first?.mediaSequence else { return nil }
        var best: (count: Int, shift: Int)?
        // `shift` is the index of the oldest known segment in the list; it is negative if that segment precedes the
        // list.
        let earliest = max(1 - segments.count, listed.count - Self.maximumSearchCount)
        for shift in stride(from: listed.count - 1, through: earliest, by: -1) {
            let common = max(0, -shift)..<min(segments.count, listed.count - shift)
            guard common.count > best?.count ?? 0 else { continue }
            if common.allSatisfy({ segments[$0].isSame(as: listed[$0 + shift], by: naming) }) {
                best = (common.count, shift)
            }
            if best?.count == min(segments.count, listed.count) { break }
        }
        return best.map { first - $0.shift }
    }

    /// Forgets the segments, but not the naming.
    mutating func removeAll() { segments = [] }

    /// Adds a distance to the numbers of the known segments.
    mutating func renumber(by distance: Int) {
        for index in segments.indices { segments[index].mediaSequence += distance }
    }

    /// Remembers the segments of a load.
    ///
    /// - Parameters:
    ///   - listed: the segments, with the discontinuity sequence numbers expected from earlier loads.
    ///   - start: the number of the playlist's oldest segment, which is lower than the first listed one if segments are
    ///     skipped.
    mutating func remember(_ listed: [KnownSegment], from start: Int) {
        guard let first = listed.first?.mediaSequence else { return }
        let skipped = segments.filter { $0.mediaSequence >= start && $0.mediaSequence < first }
        let isContiguous = skipped.last.map { $0.mediaSequence == first - 1 } ?? true
        var byteCount = 0
        let kept = skipped.reversed().prefix { segment in
            byteCount += segment.memoryByteCount
            return isContiguous && byteCount <= Self.maximumSkippedByteCount
        }
        segments = Array((kept.reversed() + listed).suffix(Self.maximumCount))
    }
}
