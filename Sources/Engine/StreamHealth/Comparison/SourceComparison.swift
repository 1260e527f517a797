package import ID3v2
package import NielsenID3

/// Compares a presentation with the same presentation from another source: before a packager, from another network, or
/// as passed on by a player.
///
/// Tags are matched by content, not by position: the sources may start at different segments and have different
/// timestamps. The comparison covers the first rendition of each source together with the default audio of its group.
package struct SourceComparison: Sendable {
    private var comparison: RenditionComparison
    /// The index in the comparison of each compared rendition of the presentation.
    private let own: [Int: Int]
    private let others: [Int: Int]

    /// Creates a comparison of two unread presentations.
    package init(
        _ outline: PresentationOutline, against other: PresentationOutline,
        policy: HealthPolicy = HealthPolicy()
    ) {
        let first = Self.compared(in: outline)
        let second = Self.compared(in: other)
        own = Self.places(of: first, from: 0)
        others = Self.places(of: second, from: first.count)
        // Both playlists may contain the same URIs, so the names of the other source's renditions include its name.
        let names =
            first.map { outline.renditions[$0].name ?? outline.source }
            + second.map {
                [other.source, other.renditions[$0].name].compactMap(\.self).joined(separator: " ")
            }
        comparison = RenditionComparison(
            policy: policy, renditions: names,
            units: [Array(0..<first.count), Array(first.count..<names.count)], alignment: .content)
    }

    /// Creates a comparison of a presentation with the owner identifiers in a text.
    package init(
        _ outline: PresentationOutline, againstOwnersIn text: String, policy: HealthPolicy = HealthPolicy()
    ) {
        let first = Self.compared(in: outline)
        own = Self.places(of: first, from: 0)
        others = [0: first.count]
        comparison = RenditionComparison(
            policy: policy,
            renditions: first.map { outline.renditions[$0].name ?? outline.source } + [text],
            units: [Array(0..<first.count), [first.count]], alignment: .content,
            timeless: [first.count])
    }

    /// Records the next observation of the presentation.
    package mutating func observe(_ observation: SegmentObservation) { observe(observation, places: own) }

    /// Records the next observation of the other source.
    package mutating func observeOther(_ observation: SegmentObservation) {
        observe(observation, places: others)
    }

    /// Records the tags of a text.
    package mutating func observe(_ text: OwnerTextTags) {
        guard let place = others[0] else { return }
        for tag in text.placedTags { comparison.observe(tag, rendition: place) }
        comparison.advance(rendition: place, to: text.end)
    }

    /// Finishes the comparison and returns the outcomes of `rendition.tags-differ` and `rendition.time-differs`.
    package mutating func finish() -> [CheckOutcome] {
        comparison.finish()
        return comparison.outcomes
    }

    /// Returns the indices of the rendition that represents a source, and of its audio.
    private static func compared(in outline: PresentationOutline) -> [Int] {
        let audio = outline.renditions.first?.audioName
        return [0] + outline.renditions.indices.dropFirst().filter { outline.renditions[$0].name == audio }
    }

    private static func places(of renditions: [Int], from start: Int) -> [Int: Int] {
        Dictionary(uniqueKeysWithValues: renditions.enumerated().map { ($0.element, start + $0.offset) })
    }

    private mutating func observe(_ observation: SegmentObservation, places: [Int: Int]) {
        guard let place = places[observation.rendition.index] else { return }
        for tag in observation.tags + observation.trailingTags { comparison.observe(tag, rendition: place) }
        guard let segment = observation.segment else { return }
        let end = segment.position + segment.duration
        if segment.facts == nil {
            comparison.skip(rendition: place, to: end)
        } else {
            comparison.advance(rendition: place, to: end)
        }
    }
}
