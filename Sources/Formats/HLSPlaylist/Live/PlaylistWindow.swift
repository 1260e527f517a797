/// The newest segments that the loads of a live playlist have listed so far, and how a further load goes on from them.
///
/// A media sequence number is a segment's identity (RFC 8216, 3), so that numbers decide wherever they can. Where they
/// contradict what they named before, or there are none, the names of the files do.
struct PlaylistWindow: Sendable, Hashable {
    /// The newest segments, their numbers rising by one.
    private(set) var segments: [KnownSegment] = []

    /// Of a long window so many are remembered.
    static let maximumCount = 128

    /// So many of the newest segments of a load are searched by name: the cost grows with both counts.
    private static let maximumSearchCount = 4_096

    /// What a load has to do with the loads before it.
    enum Relation: Sendable, Hashable {
        /// Its segments from this index on are new; it has other numbers for the known ones where `renumberedBy` is not 0.
        case continues(at: Int, renumberedBy: Int = 0)
        /// Segments were removed before a load listed them; all of its segments are new.
        case jumpsAhead
        /// It lists older segments only: known ones for certain, or others that may be those of an older version from a
        /// cache.
        case isOlder(isCertain: Bool)
        /// The stream started over: all of its segments are new.
        case startsOver
    }

    /// The media sequence number of the newest segment; nil before the first.
    var newest: Int? { segments.last?.mediaSequence }

    /// The segment with this number.
    subscript(mediaSequence: Int) -> KnownSegment? {
        guard let first = segments.first?.mediaSequence else { return nil }
        let index = mediaSequence - first
        return segments.indices.contains(index) ? segments[index] : nil
    }

    /// How the segments of a load, of which there is at least one, go on from those known.
    func relation(to listed: [MediaSegment]) -> Relation {
        guard let known = segments.last, let oldest = segments.first, let first = listed.first,
            let last = listed.last
        else { return .continues(at: 0) }
        if first.mediaSequence > known.mediaSequence {
            if first.mediaSequence == known.mediaSequence + 1 { return .continues(at: 0) }
            // Other numbers for segments whose dates say that they were listed before.
            if let found = relationByName(to: listed), case .continues(let next, _) = found, next > 0,
                known.isSame(as: listed[next - 1]), known.hasSameDate(as: listed[next - 1])
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
        if common.contains(where: { $0.isSame(as: $1) || $0.hasSameDate(as: $1) }) {
            return last.mediaSequence < known.mediaSequence
                ? .isOlder(isCertain: true) : .continues(at: known.mediaSequence - first.mediaSequence + 1)
        }
        // Every number means another segment than before.
        if let found = relationByName(to: listed) { return found }
        let hasOtherDate = common.contains { $0.hasOtherDate(than: $1) }
        if hasOtherDate, hasEarlierDates(listed) { return .isOlder(isCertain: false) }
        if last.mediaSequence > known.mediaSequence {
            let isOther = hasOtherDate && !common.contains { $0.hasSameResource(as: $1) }
            return isOther ? .startsOver : .continues(at: known.mediaSequence - first.mediaSequence + 1)
        }
        return last.mediaSequence == known.mediaSequence && !hasOtherDate
            ? .continues(at: listed.count) : .startsOver
    }

    /// The relation to a load all of whose numbers are lower than those known.
    private func relationBefore(_ listed: [MediaSegment]) -> Relation {
        if let found = relationByName(to: listed) { return found }
        guard let oldest = segments.first, let last = listed.last else { return .startsOver }
        if hasEarlierDates(listed) { return .isOlder(isCertain: false) }
        if oldest.dateMilliseconds != nil, last.programDateTimeMilliseconds != nil { return .startsOver }
        let reach = max(listed.count, segments.count)
        return oldest.mediaSequence - last.mediaSequence <= reach ? .isOlder(isCertain: false) : .startsOver
    }

    /// Whether the dates of all segments of a load are before those known.
    private func hasEarlierDates(_ listed: [MediaSegment]) -> Bool {
        guard let date = segments.first?.dateMilliseconds,
            let other = listed.last?.programDateTimeMilliseconds
        else { return false }
        return other < date
    }

    /// The relation where the names of the files say which of the listed segments are known ones.
    private func relationByName(to listed: [MediaSegment]) -> Relation? {
        guard let newest, let first = listed.first, let offset = offset(in: listed) else { return nil }
        let next = min(max(0, newest - offset + 1), listed.count)
        return .continues(at: next, renumberedBy: first.mediaSequence - offset)
    }

    /// What must be added to the index of a listed segment to have the number of the known one that it is.
    ///
    /// All segments that both have must be the same; of several ways to lay one over the other, that in which they have
    /// the most in common counts.
    func offset(in listed: [MediaSegment]) -> Int? {
        guard let first = segments.first?.mediaSequence else { return nil }
        var best: (count: Int, shift: Int)?
        // `shift` is the index of the oldest known segment in the list, before its start where that is negative.
        let earliest = max(1 - segments.count, listed.count - Self.maximumSearchCount)
        for shift in stride(from: listed.count - 1, through: earliest, by: -1) {
            let common = max(0, -shift)..<min(segments.count, listed.count - shift)
            guard common.count > best?.count ?? 0 else { continue }
            if common.allSatisfy({ segments[$0].isSame(as: listed[$0 + shift]) }) {
                best = (common.count, shift)
            }
            if best?.count == min(segments.count, listed.count) { break }
        }
        return best.map { first - $0.shift }
    }

    /// Gives the known segments other numbers.
    mutating func renumber(by distance: Int) {
        for index in segments.indices { segments[index].mediaSequence += distance }
    }

    /// Remembers what a load lists.
    ///
    /// - Parameters:
    ///   - listed: the segments, with their discontinuity sequence numbers as the loads before lead to them.
    ///   - start: the number of the oldest segment of the playlist, which may leave out the first ones.
    mutating func remember(_ listed: [KnownSegment], from start: Int) {
        guard let first = listed.first?.mediaSequence else { return }
        let kept = segments.filter { $0.mediaSequence >= start && $0.mediaSequence < first }
        let isContiguous = kept.last.map { $0.mediaSequence == first - 1 } ?? true
        segments = Array(((isContiguous ? kept : []) + listed).suffix(Self.maximumCount))
    }
}
