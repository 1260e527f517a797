import HLSPlaylist
import HostSystem
import Synchronization

/// The result of probing a rendition of a live channel.
package struct ProbedRendition: Sendable {
    /// The rendition.
    package let place: LiveRenditionPlace

    /// Whether a Nielsen tag was found in it.
    package let carriesTags: Bool

    /// The error that prevented reading, or nil if segments were read or none were available yet.
    package let failure: InputError?
}

extension LiveInput {
    /// The seconds of media without a tag after which a rendition counts as one without tags.
    package static let probedSeconds = 30.0

    /// The factor of `probedSeconds` after which a rendition without segments is abandoned.
    ///
    /// Once a tag was found in another rendition, the limit is `probedSeconds`, because that rendition is not followed
    /// during the probe.
    private static let maximumProbeFactor = 4.0

    /// The maximum number of renditions probed concurrently, because a playlist may list thousands.
    private static let maximumProbeCount = 16

    /// Reads each rendition of the channel until a tag is found or `probedSeconds` of media are read.
    ///
    /// It makes at most two requests a second to a host.
    ///
    /// - Returns: The probed renditions, cheapest first: audio renditions, then variants by bandwidth. If the time
    ///   limit expires, the remaining renditions are omitted.
    package func probe() async throws(InputError) -> [ProbedRendition] {
        // A redundant variant is loaded in place of the first one if that fails.
        let places = try await open(.all).filter { !$0.isRedundant }
            .sorted { ($0.bandwidth ?? 0) < ($1.bandwidth ?? 0) }
        let end = ProbeEnd(at: clock.sinceBoot + .seconds(Self.probedSeconds * Self.maximumProbeFactor))
        return await withTaskGroup(of: (Int, ProbedRendition).self) { group in
            var waiting = places.enumerated().makeIterator()
            let beginNext = { (group: inout TaskGroup<(Int, ProbedRendition)>) in
                guard !Task.isCancelled, clock.sinceBoot <= end.time, let (index, place) = waiting.next()
                else {
                    return
                }
                group.addTask { (index, await probe(place, until: end)) }
            }
            for _ in 0..<Self.maximumProbeCount { beginNext(&group) }
            var probed: [(Int, ProbedRendition)] = []
            for await result in group {
                probed.append(result)
                beginNext(&group)
            }
            return probed.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func probe(_ place: LiveRenditionPlace, until end: ProbeEnd) async -> ProbedRendition {
        let rendition = LiveRendition(place, of: paced)
        var seconds = 0.0
        var failure: InputError?
        while seconds < Self.probedSeconds, !Task.isCancelled {
            let loadStart = clock.sinceBoot
            let load = await rendition.load(at: loadStart, jitter: .random(in: 0..<1))
            failure = load.failure
            for segment in load.segments {
                let reading = await rendition.read(segment).reading
                if !reading.tags.isEmpty {
                    end.bring(forwardTo: clock.sinceBoot + .seconds(Self.probedSeconds))
                    return ProbedRendition(place: place, carriesTags: true, failure: nil)
                }
                if case .failed(let error) = reading.outcome { failure = error }
                seconds += segment.listed.duration
                if seconds >= Self.probedSeconds { break }
            }
            if load.update.isEnded || clock.sinceBoot > end.time || seconds >= Self.probedSeconds { break }
            do throws(CancellationError) {
                try await clock.sleep(for: loadStart + load.update.reloadDelay - clock.sinceBoot)
            } catch {
                break
            }
        }
        return ProbedRendition(place: place, carriesTags: false, failure: failure)
    }
}

/// The time at which renditions without segments are abandoned.
private final class ProbeEnd: Sendable {
    private let end: Mutex<Duration>

    init(at time: Duration) { end = Mutex(time) }

    var time: Duration { end.withLock { $0 } }

    func bring(forwardTo time: Duration) { end.withLock { $0 = min($0, time) } }
}

extension [ProbedRendition] {
    /// The cheapest rendition with tags, or nil if none has any.
    package var cheapestWithTags: LiveRenditionPlace? { first(where: \.carriesTags)?.place }
}
