import NielsenID3
import TextForms

/// A tag of an alignment, with its occurrences in the streams so far.
struct AlignedTag: Sendable {
    /// The maximum number of occurrences kept for each stream: the first and its repeats.
    private static let maximumPlaceCount = 4

    /// The identity; nil for a damaged tag, which only fills its position.
    let identity: RenditionTagIdentity?
    /// The first position on the common timeline.
    let position: Double
    /// The stretch that each stream was in when the tag arrived.
    fileprivate(set) var stretches: [Int]
    /// The occurrences, sorted by stream.
    private(set) var occurrences: [RenditionOccurrence] = []

    fileprivate init(identity: RenditionTagIdentity?, position: Double, stretches: [Int]) {
        self.identity = identity
        self.position = position
        self.stretches = stretches
    }

    fileprivate mutating func add(_ occurrence: RenditionOccurrence) {
        guard occurrences.count(where: { $0.stream == occurrence.stream }) < Self.maximumPlaceCount else {
            return
        }
        let index = occurrences.firstIndex { $0.stream > occurrence.stream } ?? occurrences.endIndex
        occurrences.insert(occurrence, at: index)
    }

    /// Whether several streams have it.
    var isCommon: Bool { occurrences.first?.stream != occurrences.last?.stream }

    /// Returns the first occurrence in a stream, or nil without one.
    func first(in stream: Int) -> RenditionOccurrence? { occurrences.first { $0.stream == stream } }

    /// Returns the seconds of media from its position in one stream to its position in another; nil unless both have
    /// it.
    func shift(from stream: Int, to other: Int) -> Double? {
        guard let one = first(in: stream), let two = first(in: other) else { return nil }
        return two.position - one.position
    }
}

/// Streams of tags that must be equal, aligned tag by tag: renditions of a presentation or its sources, recorded or
/// live.
///
/// Each tag waits for its occurrences in the other streams. The caller decides when a tag has waited long enough, and
/// removes it.
struct TagAlignment: Sendable {
    /// The rule that selects one of several equal tags, as in a loop.
    enum Rule: Sendable {
        /// The nearest on a common timeline, at most `reach` seconds away.
        case position(reach: Double)
        /// The first that the other one of two streams has and this one lacks.
        case order
    }

    private let rule: Rule
    /// The maximum number of tags of one stream that wait; nil without a maximum.
    private let window: Int?
    /// The number of interruptions of each stream so far, which identifies a stretch read without a gap.
    private(set) var stretches: [Int]
    private var tags: [Int: AlignedTag] = [:]
    /// All tags, along the common timeline or in order of arrival.
    private var order = Slots()
    /// The tags that accept another occurrence, by identity.
    private var slots: [RenditionTagIdentity: Slots] = [:]
    private var nextID = 0

    /// Creates an alignment of empty streams.
    ///
    /// With a `window`, the oldest waiting tag of a stream is dropped when another one exceeds it.
    init(_ rule: Rule, streamCount: Int, window: Int? = nil) {
        self.rule = rule
        self.window = window
        stretches = Array(repeating: 0, count: streamCount)
    }

    var count: Int { order.count }

    subscript(id: Int) -> AlignedTag? { tags[id] }

    /// The tags in order.
    var waiting: [AlignedTag] { order.prefix(count).compactMap { tags[$0] } }

    /// Marks a gap in a stream before its next tag.
    mutating func interrupt(_ stream: Int) { stretches[stream] += 1 }

    /// Adds an occurrence to an equal tag, or as a new tag, and returns the ID of that tag.
    ///
    /// `position` is that on the common timeline, for alignment by position.
    @discardableResult
    mutating func add(
        _ occurrence: RenditionOccurrence, of identity: RenditionTagIdentity?, at position: Double = 0
    ) -> Int {
        if let identity, let id = equal(to: occurrence, of: identity, at: position) {
            tags[id]?.add(occurrence)
            if tags[id]?.stretches != stretches {
                tags[id]?.stretches[occurrence.stream] = stretches[occurrence.stream]
            }
            if case .order = rule { slots[identity]?.remove(id) }
            return id
        }
        if let window, count >= window { dropOldest(of: occurrence.stream, from: window) }
        let id = nextID
        nextID += 1
        var tag = AlignedTag(identity: identity, position: position, stretches: stretches)
        tag.add(occurrence)
        tags[id] = tag
        if let identity { slots[identity, default: Slots()].insert(id, at: position) }
        order.insert(id, at: position)
        return id
    }

    private func equal(
        to occurrence: RenditionOccurrence, of identity: RenditionTagIdentity, at position: Double
    ) -> Int? {
        switch rule {
        case .position(let reach): return slots[identity]?.nearest(to: position, within: reach)
        case .order:
            guard let id = slots[identity]?.first(upTo: .infinity), !isIn(occurrence.stream, id) else {
                return nil
            }
            return id
        }
    }

    /// Returns whether a stream has a tag of an identity that the other streams lack so far.
    func isWaiting(_ identity: RenditionTagIdentity, in stream: Int) -> Bool {
        slots[identity]?.first(upTo: .infinity).map { isIn(stream, $0) } ?? false
    }

    private func isIn(_ stream: Int, _ id: Int) -> Bool { tags[id]?.first(in: stream) != nil }

    /// Returns the first tag common to two streams, among the first `count` tags.
    func firstCommon(_ one: Int, _ other: Int, among count: Int) -> AlignedTag? {
        order.prefix(count).lazy.compactMap { tags[$0] }
            .first { $0.first(in: one) != nil && $0.first(in: other) != nil }
    }

    /// Removes and returns the first tag if its position is at most `position`.
    mutating func removeFirst(upTo position: Double) -> AlignedTag? {
        order.first(upTo: position).flatMap { remove($0) }
    }

    /// Removes a common tag, and returns the tags before it, which it also removes.
    ///
    /// All waiting tags of the stream that was read last precede it.
    mutating func removeAll(through id: Int, readLast stream: Int) -> [AlignedTag] {
        let passed = order.prefix(count).filter { $0 < id || ($0 > id && isIn(stream, $0)) }
        _ = remove(id)
        return passed.compactMap { remove($0) }
    }

    private mutating func dropOldest(of stream: Int, from window: Int) {
        let own = order.prefix(count).filter { isIn(stream, $0) }
        if own.count >= window, let oldest = own.first { _ = remove(oldest) }
    }

    private mutating func remove(_ id: Int) -> AlignedTag? {
        guard let tag = tags.removeValue(forKey: id) else { return nil }
        order.remove(id)
        if let identity = tag.identity {
            slots[identity]?.remove(id)
            if slots[identity]?.count == 0 { slots[identity] = nil }
        }
        return tag
    }
}

/// Tag IDs sorted by position, and by arrival within one position.
private struct Slots: Sendable {
    /// A slice, because the first slot is removed most often.
    private var slots: ArraySlice<(position: Double, id: Int)> = []

    var count: Int { slots.count }

    mutating func insert(_ id: Int, at position: Double) {
        slots.insert((position, id), at: index(after: position))
    }

    mutating func remove(_ id: Int) {
        if slots.first?.id == id { slots.removeFirst() } else { slots.removeAll { $0.id == id } }
    }

    /// Returns the first tag if its position is at most `position`.
    func first(upTo position: Double) -> Int? {
        slots.first.flatMap { $0.position <= position ? $0.id : nil }
    }

    /// Returns the first `count` tags.
    func prefix(_ count: Int) -> [Int] { slots.prefix(count).map(\.id) }

    /// Returns the tag nearest to a position, at most `reach` away.
    func nearest(to position: Double, within reach: Double) -> Int? {
        let index = index(after: position)
        let candidates = slots[max(slots.startIndex, index - 1)..<min(slots.endIndex, index + 1)]
        let nearest = candidates.min { abs($0.position - position) < abs($1.position - position) }
        return nearest.flatMap { abs($0.position - position) <= reach ? $0.id : nil }
    }

    /// Returns the index after all slots up to and including a position.
    private func index(after position: Double) -> Int {
        var low = slots.startIndex
        var high = slots.endIndex
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A difference between streams that must have the same tags.
enum TagDifference {
    /// A tag is in some streams but not in others.
    case missing(RenditionTagIdentity, carriers: [String], others: [String])
    /// One stream has `count` tags, and the other none of them.
    case none(carrier: String, count: Int, other: String)
    /// Two streams have tags of the same time, but none in common.
    case strangers((name: String, count: Int), (name: String, count: Int))
    /// A tag is seconds from its position in another stream, on a common clock or in media time.
    case time(RenditionTagIdentity, distance: Double, from: String, isOfClock: Bool, limit: Double)

    /// The check that fails.
    var check: CheckID { if case .time = self { .renditionTimeDiffers } else { .renditionTagsDiffer } }

    /// The sentence in a finding.
    var detail: String {
        switch self {
        case .missing(let identity, let carriers, let others):
            "\(identity.text) is in \(Self.list(carriers)) but not in \(Self.list(others))."
        case .none(let carrier, let count, let other):
            "\(carrier) has \(DecimalText.count(count, "tag")); \(other) "
                + (count == 1 ? "does not have it." : "has none of them.")
        case .strangers(let one, let other):
            "\(one.name) has \(DecimalText.count(one.count, "tag")) and \(other.name) has \(other.count) for the same "
                + "time, with none in common."
        case .time(let identity, let distance, let other, let isOfClock, let limit):
            "\(identity.text) is \(Self.text(distance.magnitude)) \(distance < 0 ? "before" : "after") its position "
                + "in \(other) (\(isOfClock ? "presentation time" : "media time, because the clocks differ")); "
                + "the limit is \(Self.text(limit))."
        }
    }

    /// Formats seconds with up to five decimals, which resolve one 90 kHz tick, without trailing zeros.
    static func text(_ seconds: Double) -> String {
        let parts = (seconds.magnitude * 100_000).rounded()
        guard parts < 1e15 else { return "\(seconds) s" }
        let whole = Int(parts)
        var fraction = String(whole % 100_000 + 100_000).dropFirst()
        while fraction.last == "0" { fraction = fraction.dropLast() }
        let sign = seconds < 0 && whole > 0 ? "-" : ""
        return sign + "\(whole / 100_000)" + (fraction.isEmpty ? "" : "." + fraction) + " s"
    }

    /// Joins names for a sentence.
    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}
