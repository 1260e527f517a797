import HLSPlaylist
import HostSystem
import Synchronization

/// What reading a rendition of a live channel for a while has shown.
package struct ProbedRendition: Sendable {
    /// The rendition.
    package let place: LiveRenditionPlace

    /// Whether a Nielsen tag was seen in it.
    package let carriesTags: Bool

    /// Why nothing of it could be read; nil where something was, or where there was nothing yet.
    package let failure: InputError?
}

extension LiveInput {
    /// How many seconds of a rendition are read without a tag before it counts as one that carries none.
    package static let probedSeconds = 30.0

    /// A rendition that brings no segments is given up after so many times the seconds that are read; after as many
    /// seconds once a tag was seen in another, for meanwhile nobody follows that one.
    private static let maximumProbeFactor = 4.0

    /// How many renditions are read at the same time: a playlist may name thousands.
    private static let maximumProbeCount = 16

    /// Reads each rendition of the channel until a tag is seen in it, or `probedSeconds` of it are read.
    ///
    /// - Returns: the renditions that were read, the cheapest first: those of audio, then the variants by their bandwidth.
    ///   Of very many, those that follow are left out once the time is over.
    package func probe() async throws(InputError) -> [ProbedRendition] {
        let places = try await open(.all).sorted { ($0.bandwidth ?? 0) < ($1.bandwidth ?? 0) }
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
        let rendition = LiveRendition(place, of: self)
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

/// When renditions that bring no segments are given up.
private final class ProbeEnd: Sendable {
    private let end: Mutex<Duration>

    init(at time: Duration) { end = Mutex(time) }

    var time: Duration { end.withLock { $0 } }

    func bring(forwardTo time: Duration) { end.withLock { $0 = min($0, time) } }
}

extension [ProbedRendition] {
    /// The rendition to follow: the cheapest of those that carry tags; nil where none does.
    package var cheapestWithTags: LiveRenditionPlace? { first(where: \.carriesTags)?.place }
}
