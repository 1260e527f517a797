import ID3v2
package import NielsenID3

/// The renditions of a live channel: their delivery, their health, their relations, and the comparison of their tags.
struct ChannelRenditions: Sendable {
    /// The maximum number of renditions checked.
    private static let maximumCount = 16
    /// The maximum number of renditions whose delivery is known.
    private static let deliveryCapacity = 64

    private let policy: HealthPolicy
    /// The number of seconds after its last segment during which a rendition counts as read.
    private let window: Double
    /// The delivery of the renditions that were loaded or are loaded, also while segments delay their next loads.
    private(set) var delivery: [RenditionID: RenditionDelivery] = [:]
    /// The delivery of the renditions that were followed when the time last advanced.
    private(set) var followed: [RenditionID: RenditionDelivery] = [:]
    /// The health of the renditions that were read.
    private var health: [RenditionID: RenditionHealth] = [:]
    private var sources: [Source] = [Source(), Source()]
    /// The comparison of the primary with the backup.
    private var comparison: ChannelComparison?

    private struct Source: Sendable {
        var renditions: [ChannelRendition] = []
        var units: RenditionUnits?
        /// The comparison of this source's renditions, once it is known which ones form a unit.
        var comparison: ChannelComparison?
        /// The number of segments of each rendition until then.
        var segmentCounts: [Int] = []
        /// The times of the last DATA tags, as ranges without a gap.
        var tagTimes: [ClosedRange<UInt32>] = []
    }

    /// The maximum number of ranges of tags of a source.
    private static let tagTimesCapacity = 16

    /// The number of segments after which a rendition with no audio found counts as having none.
    private static let longestUncertainty = 4

    init(policy: HealthPolicy, window: Double) { (self.policy, self.window) = (policy, window) }

    /// Whether nothing has been read yet.
    var isEmpty: Bool { health.isEmpty }

    /// The health of all renditions.
    var all: some Collection<RenditionHealth> { health.values }

    /// The position up to which the rendition with the last segment was read.
    var lastPlace: Finding.Place {
        health.values.max { $0.lastTime < $1.lastTime }?.place ?? Finding.Place()
    }

    /// Returns the result of a window check after a segment of a rendition; nil if another rendition may change it.
    ///
    /// - Parameter isStart: Whether an unread rendition of the primary may have what this one lacks.
    func result(
        of check: CheckID, after id: RenditionID, isStart: Bool, at time: SteadyTime
    ) -> CheckResult? {
        // Tags are required in only one rendition. By key, because a closure over the values copies each of them.
        let results = health.keys.lazy.compactMap { isRead($0, at: time) ? health[$0]?.windows[check] : nil }
        if results.contains(.pass) { return .pass }
        guard !results.isEmpty, results.allSatisfy(\.isViolation) else { return .notRun }
        if isStart, ids(of: .primary).contains(where: { health[$0]?.windows[check] == nil }) { return nil }
        return health[id]?.windows[check]
    }

    private func isRead(_ id: RenditionID, at time: SteadyTime) -> Bool {
        guard let last = health[id]?.lastTime else { return false }
        return time - last <= window
    }

    /// Returns whether a break excuses missing tags at a time in a rendition that is still read.
    func isExcused(at time: SteadyTime, now: SteadyTime) -> Bool {
        health.keys.contains { isRead($0, at: now) && health[$0]?.breaks.isExcused(at: time) == true }
    }

    /// Removes and returns the health of a rendition.
    mutating func remove(_ id: RenditionID) -> RenditionHealth? { health.removeValue(forKey: id) }

    /// Inserts the health of a rendition, and returns the one that it displaces because there are too many.
    mutating func insert(_ rendition: RenditionHealth, as id: RenditionID) -> RenditionHealth? {
        var displaced: RenditionHealth?
        if health.count >= Self.maximumCount,
            let oldest = health.min(by: { $0.value.lastTime < $1.value.lastTime })
        {
            displaced = health.removeValue(forKey: oldest.key)
        }
        health[id] = rendition
        return displaced
    }

    /// Returns the name of a rendition for findings, or nil when it has none.
    func name(of id: RenditionID) -> String? {
        sources.lazy.flatMap(\.renditions).first { $0.id == id }?.name
    }

    /// Returns the place of a finding about a rendition as a whole.
    func place(of id: RenditionID) -> Finding.Place {
        var place = Finding.Place()
        place.rendition = name(of: id)
        return place
    }

    /// Returns the followed renditions of the primary or the backup.
    func ids(of source: RenditionID.Source) -> [RenditionID] {
        sources[Self.place(of: source)].renditions.map(\.id)
    }

    /// Returns the index of a source in `sources`.
    private static func place(of source: RenditionID.Source) -> Int { source == .backup ? 1 : 0 }

    /// Discards the health and the comparisons, because positions in the media restart, and what was reported of the
    /// delivery.
    mutating func restart() {
        health = [:]
        for source in sources.indices { begin(sources[source].renditions, of: source) }
        for id in delivery.keys { delivery[id]?.restart() }
        followed = [:]
    }

    /// Sets the followed renditions of the primary or the backup.
    mutating func set(_ renditions: [ChannelRendition], of source: RenditionID.Source) {
        let ids = Set(renditions.map(\.id))
        delivery = delivery.filter { $0.key.source != source || ids.contains($0.key) }
        let source = Self.place(of: source)
        if sources[source].renditions != renditions { begin(renditions, of: source) }
    }

    private mutating func begin(_ renditions: [ChannelRendition], of source: Int) {
        sources[source] = Source(renditions: renditions, tagTimes: sources[source].tagTimes)
        if renditions.count > 1 {
            sources[source].units = RenditionUnits(
                names: renditions.map(\.role), audio: renditions.map(\.audio))
            sources[source].segmentCounts = renditions.map { _ in 0 }
        }
        comparison = nil
        if sources.allSatisfy({ !$0.renditions.isEmpty }) {
            comparison = ChannelComparison(
                zip(["the primary", "the backup"], sources).map { name, source in
                    (name, source.renditions.map(\.id))
                }, judgesTimes: false, policy: policy)
        }
    }

    /// Changes the delivery of a rendition; for a new one, the one that was loaded least recently makes room.
    ///
    /// - Parameter adds: Whether to add an unknown rendition.
    mutating func update<Result>(
        _ id: RenditionID, adds: Bool = true, at time: SteadyTime,
        _ change: (inout RenditionDelivery) -> Result
    ) -> Result? {
        guard adds || delivery[id] != nil else { return nil }
        if delivery[id] == nil, delivery.count >= Self.deliveryCapacity,
            let oldest = delivery.min(by: { $0.value.loadTime < $1.value.loadTime })?.key
        {
            delivery[oldest] = nil
        }
        return change(&delivery[id, default: RenditionDelivery(policy: policy, at: time)])
    }

    /// Records that a source could not be opened.
    mutating func close(_ source: RenditionID.Source, at time: SteadyTime) {
        _ = update(RenditionID(0, of: source), at: time) { $0.close() }
        for id in delivery.keys where id.source == source { delivery[id]?.close() }
        advance(to: time)
    }

    /// Counts the time until now, in which nothing was loaded, as if it had not passed.
    mutating func hold(at time: SteadyTime) {
        for id in delivery.keys { delivery[id]?.hold(at: time) }
    }

    /// Determines which renditions have failed, and which are followed.
    mutating func advance(to time: SteadyTime) {
        for id in delivery.keys { delivery[id]?.advance(to: time) }
        followed = delivery.filter { $0.value.isFollowed(at: time) }
    }

    /// Counts renditions whose last load failed, or whose load takes long, as unreachable, if then no followed
    /// rendition can be read; called when tags have been missing for too long.
    ///
    /// - Parameter age: The seconds that a load may take.
    /// - Returns: One of these renditions, the time since which it fails, and the reason as half a sentence; nil if
    ///   loads do not explain that nothing is read.
    mutating func explainSilence(
        after age: Double, at time: SteadyTime
    ) -> (rendition: RenditionID, start: SteadyTime, reason: String)? {
        let before = (delivery, followed)
        for id in delivery.keys { delivery[id]?.fail(after: age, at: time) }
        advance(to: time)
        let failing = delivery.filter(\.value.isUnreachable)
        if followed.isBlocked, let (id, state) = failing.min(by: { $0.key < $1.key }) {
            return (id, state.loadStart ?? state.loadTime, delivery.failureText(at: time))
        }
        (delivery, followed) = before
        return nil
    }

    /// Reports the result of `playlist.http` for a load that took `age` seconds, and what else the load shows.
    func report(
        _ http: CheckResult, of outcome: PlaylistLoadOutcome, rendition id: RenditionID, age: Double,
        to book: inout EpisodeBook
    ) {
        let place = place(of: id)
        book.report(.playlistHTTP, http, at: place, rendition: id, age: age)
        book.judge(.playlistVariantDrift, followed.drift(policy: policy), at: place, rendition: id)
        if case .failed = outcome {
            // A repeated failure is not reported, but it still counts.
            if http == .notRun { book.repeatViolation(of: .playlistHTTP, rendition: id) }
        } else {
            for check in CheckRegistry.checks(on: .playlistChange) where !(check is PlaylistDateJump) {
                book.markRun(check.id)
            }
        }
        if case .changed = outcome { book.markRun(.channelEnded) }
    }

    /// Adds the times of a DATA tag of a source: a tag that another source did not deliver is then not missing there.
    mutating func addTimes(of tag: TagOccurrence, of source: RenditionID.Source) {
        guard let times = DataTimes(tag), times.first <= times.last else { return }
        var known = sources[Self.place(of: source)].tagTimes
        if let last = known.last, times.last >= last.lowerBound,
            Double(times.first) - Double(last.upperBound) <= policy[.gap]
        {
            known.removeLast()
            known.append(min(last.lowerBound, times.first)...max(last.upperBound, times.last))
        } else {
            known.append(times.first...times.last)
            if known.count > Self.tagTimesCapacity { known.removeFirst() }
        }
        sources[Self.place(of: source)].tagTimes = known
    }

    /// Returns the times of the tags of the other source, as ranges without a gap.
    func tagTimes(besides source: RenditionID.Source) -> [ClosedRange<UInt32>] {
        sources[1 - Self.place(of: source)].tagTimes
    }

    /// Whether renditions or sources that must carry the same tags have stopped doing so.
    var differLastingly: Bool {
        comparison?.differsLastingly == true || sources.contains { $0.comparison?.differsLastingly == true }
    }

    /// Compares a segment of a rendition with its tags, and returns the results.
    ///
    /// - Parameter isExcused: whether no tags are expected in it.
    mutating func compare(
        _ segment: ObservedSegment, tags: [PlacedTag], rendition: RenditionID, isExcused: Bool,
        at time: SteadyTime
    ) -> [ChannelComparison.Result] {
        if differLastingly {
            let read = Set(health.keys.filter { isRead($0, at: time) })
            comparison?.setRead(read)
            for index in sources.indices { sources[index].comparison?.setRead(read) }
        }
        guard let source = sources.firstIndex(where: { $0.renditions.contains { $0.id == rendition } })
        else {
            return []
        }
        updateUnits(of: source, segment, rendition)
        let isContinuation = segment.facts != nil && !segment.isDiscontinuity && !isExcused
        var results: [ChannelComparison.Result] = []
        let name = name(of: rendition)
        results +=
            sources[source].comparison?.observe(
                tags, length: segment.length, rendition: rendition, name: name, isContinuation: isContinuation
            ) ?? []
        results +=
            comparison?.observe(
                tags, length: segment.length, rendition: rendition, name: name, isContinuation: isContinuation
            ) ?? []
        return results
    }

    /// Finds out which renditions of a source form a unit.
    private mutating func updateUnits(of source: Int, _ segment: ObservedSegment, _ rendition: RenditionID) {
        guard sources[source].comparison == nil, var units = sources[source].units,
            let place = sources[source].renditions.firstIndex(where: { $0.id == rendition })
        else { return }
        sources[source].segmentCounts[place] += 1
        units.observe(
            segment.facts, rendition: place,
            isLast: sources[source].segmentCounts[place] >= Self.longestUncertainty)
        sources[source].units = units
        guard units.isSettled else { return }
        let renditions = sources[source].renditions
        let compared = units.units.filter { unit in
            unit.allSatisfy { renditions[$0].isComparable }
        }
        let sides = compared.map { unit in
            (
                name: unit.map { renditions[$0].name ?? "rendition \($0 + 1)" }.joined(separator: " with "),
                renditions: unit.map { renditions[$0].id }
            )
        }
        sources[source].comparison = ChannelComparison(sides, judgesTimes: true, policy: policy)
    }
}

/// A followed rendition of a live channel.
package struct ChannelRendition: Sendable, Hashable {
    /// The identity in observations.
    package let id: RenditionID
    /// The name used in findings; nil for the only rendition.
    package let name: String?
    /// The identity in the multivariant playlist, because names may be equal; nil for the only rendition.
    package let role: String?
    /// The role of its group's default audio; nil without one.
    package let audio: String?
    /// Whether it must carry the same tags as the other renditions.
    package let isComparable: Bool

    /// Creates a rendition; its role is its name by default.
    package init(
        id: RenditionID, name: String?, role: String? = nil, audio: String? = nil, isComparable: Bool = true
    ) {
        self.id = id
        self.name = name
        self.role = role ?? name
        self.audio = audio
        self.isComparable = isComparable
    }
}
