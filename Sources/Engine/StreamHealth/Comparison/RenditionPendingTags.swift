/// A pending tag with its occurrences so far.
struct RenditionPendingTag: Sendable {
    /// The maximum number of occurrences kept for each rendition: the first and its repeats.
    private static let maximumPlaceCount = 4

    let identity: RenditionTagIdentity
    /// The first position on the common timeline.
    let position: Double
    /// The occurrences, sorted by rendition.
    private(set) var occurrences: [RenditionOccurrence] = []

    init(identity: RenditionTagIdentity, position: Double) {
        self.identity = identity
        self.position = position
    }

    mutating func add(_ occurrence: RenditionOccurrence) {
        guard occurrences.count(where: { $0.rendition == occurrence.rendition }) < Self.maximumPlaceCount
        else {
            return
        }
        let index = occurrences.firstIndex { $0.rendition > occurrence.rendition } ?? occurrences.endIndex
        occurrences.insert(occurrence, at: index)
    }

    /// Returns the first occurrence in a rendition, or nil without one.
    func first(in rendition: Int) -> RenditionOccurrence? {
        occurrences.first { $0.rendition == rendition }
    }
}

/// The tags that wait for the other renditions, sorted along the common timeline.
struct RenditionPendingTags: Sendable {
    private var tags: [Int: RenditionPendingTag] = [:]
    private var order = Slots()
    /// The slots by identity, because a tag may occur again later, as in a loop.
    private var slots: [RenditionTagIdentity: Slots] = [:]
    private var nextID = 0

    var count: Int { order.slots.count }

    /// Adds an occurrence to the nearest pending tag within `reach` seconds, or as a new pending tag.
    mutating func add(
        _ occurrence: RenditionOccurrence, of identity: RenditionTagIdentity, at position: Double,
        reach: Double
    ) {
        if let known = slots[identity]?.nearest(to: position), abs(known.position - position) <= reach {
            tags[known.id]?.add(occurrence)
            return
        }
        let slot = Slots.Slot(position: position, id: nextID)
        nextID += 1
        var tag = RenditionPendingTag(identity: identity, position: position)
        tag.add(occurrence)
        tags[slot.id] = tag
        slots[identity, default: Slots()].insert(slot)
        order.insert(slot)
    }

    /// Removes and returns the first tag if its position is at most `position`.
    mutating func removeFirst(upTo position: Double) -> RenditionPendingTag? {
        guard let first = order.slots.first, first.position <= position else { return nil }
        order.slots.removeFirst()
        guard let tag = tags.removeValue(forKey: first.id) else { return nil }
        slots[tag.identity]?.slots.removeAll { $0.id == first.id }
        if slots[tag.identity]?.slots.isEmpty == true { slots[tag.identity] = nil }
        return tag
    }

    /// Returns the first tag common to two renditions, among the first `count` tags.
    func firstCommon(_ one: Int, _ other: Int, among count: Int) -> RenditionPendingTag? {
        order.slots.prefix(count).lazy.compactMap { tags[$0.id] }
            .first { $0.first(in: one) != nil && $0.first(in: other) != nil }
    }
}

/// Tag ids sorted by position, and by arrival within one position.
private struct Slots: Sendable {
    struct Slot: Sendable {
        let position: Double
        let id: Int
    }

    var slots: [Slot] = []

    mutating func insert(_ slot: Slot) { slots.insert(slot, at: index(after: slot.position)) }

    /// Returns the slot nearest to a position.
    func nearest(to position: Double) -> Slot? {
        let index = index(after: position)
        let before = index > 0 ? slots[index - 1] : nil
        guard index < slots.count else { return before }
        guard let before, position - before.position <= slots[index].position - position else {
            return slots[index]
        }
        return before
    }

    /// Returns the index after all slots up to and including a position.
    private func index(after position: Double) -> Int {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
