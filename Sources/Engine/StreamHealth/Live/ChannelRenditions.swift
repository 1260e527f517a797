import NielsenID3
import TimedMedia

/// The renditions of a live channel, what they are to each other, and what their tags say when they are compared.
struct ChannelRenditions: Sendable {
    private let policy: HealthPolicy
    private var sources: [Source] = [Source(), Source()]
    /// Of the primary with the backup.
    private var comparison: LiveComparison?

    private struct Source: Sendable {
        var renditions: [ChannelRendition] = []
        var units: RenditionUnits?
        /// Of the renditions of this source, once it is known which count together.
        var comparison: LiveComparison?
        /// How many segments each rendition had until then.
        var segmentCounts: [Int] = []
    }

    /// After so many segments without it a rendition counts as one without audio of its own.
    private static let longestUncertainty = 4

    init(policy: HealthPolicy) { self.policy = policy }

    /// The name of a rendition in findings; nil where it has none.
    func name(of index: Int) -> String? {
        sources.lazy.flatMap(\.renditions).first { $0.index == index }?.name
    }

    /// The renditions that are followed of the primary or the backup.
    func indices(ofBackup isBackup: Bool) -> [Int] { sources[isBackup ? 1 : 0].renditions.map(\.index) }

    /// Forgets what was compared: what comes has other places.
    mutating func restart() {
        for (source, isBackup) in [(sources[0], false), (sources[1], true)] {
            set([], ofBackup: isBackup)
            set(source.renditions, ofBackup: isBackup)
        }
    }

    /// Says which renditions of the primary or the backup are followed.
    mutating func set(_ renditions: [ChannelRendition], ofBackup isBackup: Bool) {
        let source = isBackup ? 1 : 0
        guard sources[source].renditions != renditions else { return }
        sources[source] = Source(renditions: renditions)
        if renditions.count > 1 {
            sources[source].units = RenditionUnits(
                names: renditions.map(\.name), audio: renditions.map(\.audio))
            sources[source].segmentCounts = renditions.map { _ in 0 }
        }
        comparison = nil
        if sources.allSatisfy({ !$0.renditions.isEmpty }) {
            comparison = LiveComparison(
                zip(["the primary", "the backup"], sources).map { name, source in
                    .init(name: name, renditions: source.renditions.map(\.index))
                }, judgesTimes: false, policy: policy)
        }
    }

    /// Whether what must carry the same tags does not any more.
    var differLastingly: Bool {
        comparison?.differsLastingly == true || sources.contains { $0.comparison?.differsLastingly == true }
    }

    /// Says which renditions were read of late, before the next segment.
    mutating func keep(read renditions: Set<Int>) {
        comparison?.keep(read: renditions)
        for index in sources.indices { sources[index].comparison?.keep(read: renditions) }
    }

    /// Takes a segment of a rendition with its tags.
    ///
    /// - Parameter isExcused: whether no tags are expected in it.
    mutating func observe(
        _ segment: ObservedSegment, tags: [PlacedTag], rendition: Int, isExcused: Bool
    ) -> [LiveComparison.Result] {
        guard let source = sources.firstIndex(where: { $0.renditions.contains { $0.index == rendition } })
        else {
            return []
        }
        settle(source, segment, rendition)
        let isContinuation = segment.facts != nil && !segment.isDiscontinuity && !isExcused
        var results: [LiveComparison.Result] = []
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

    /// Finds out which renditions of a source count together.
    private mutating func settle(_ source: Int, _ segment: ObservedSegment, _ rendition: Int) {
        guard sources[source].comparison == nil, var units = sources[source].units,
            let place = sources[source].renditions.firstIndex(where: { $0.index == rendition })
        else { return }
        sources[source].segmentCounts[place] += 1
        units.observe(
            segment.facts, rendition: place,
            isLast: sources[source].segmentCounts[place] >= Self.longestUncertainty)
        sources[source].units = units
        guard units.isSettled else { return }
        let renditions = sources[source].renditions
        let compared = units.descriptions.units.filter { unit in
            unit.allSatisfy { renditions[$0].isComparable }
        }
        let sides = compared.map { unit in
            LiveComparison.Side(
                name: unit.map { renditions[$0].name ?? "rendition \($0 + 1)" }.joined(separator: " with "),
                renditions: unit.map { renditions[$0].index })
        }
        sources[source].comparison = LiveComparison(sides, judgesTimes: true, policy: policy)
    }
}
