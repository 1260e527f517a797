package import ID3v2
package import NielsenID3

extension TagComparison {
    /// Creates a comparison of two unread presentations: before and after a packager, or from two networks.
    ///
    /// It covers the first rendition of each source together with the default audio of its group.
    package init(
        _ outline: PresentationOutline, against other: PresentationOutline,
        policy: HealthPolicy = HealthPolicy()
    ) {
        // Both playlists may contain the same URIs, so the names of the other source's renditions include its name.
        let names = outline.renditions.map { $0.name ?? outline.source }
        let others = other.renditions.map {
            [other.source, $0.name].compactMap(\.self).joined(separator: " ")
        }
        self.init(
            policy: policy, renditions: names + others,
            units: [outline.comparedRenditions, other.comparedRenditions.map { $0 + names.count }],
            hasCommonTimeline: false)
    }

    /// Creates a comparison of a presentation with the owner identifiers in a text.
    package init(
        _ outline: PresentationOutline, againstOwnersIn text: String, policy: HealthPolicy = HealthPolicy()
    ) {
        let names = outline.renditions.map { $0.name ?? outline.source }
        self.init(
            policy: policy, renditions: names + [text], units: [outline.comparedRenditions, [names.count]],
            hasCommonTimeline: false, timeless: names.count)
    }

    /// Records the next observation of the presentation or, with `isOther`, of the other source.
    package mutating func observe(_ observation: SegmentObservation, isOther: Bool = false) {
        let rendition = observation.rendition.index + (isOther ? units.last?.first ?? 0 : 0)
        // A file that does not belong to the stream has no position on a common timeline.
        if observation.segment != nil || !hasCommonTimeline {
            for tag in observation.tags { observe(tag, rendition: rendition) }
        }
        if let segment = observation.segment {
            recordMediaTime(of: segment, rendition: rendition, isOther: isOther)
            if segment.facts == nil {
                skip(rendition: rendition, to: segment.end)
            } else {
                advance(rendition: rendition, to: segment.end)
            }
        }
        for tag in observation.trailingTags { observe(tag, rendition: rendition) }
    }

    /// Records the tags of a text.
    package mutating func observe(_ text: OwnerTextTags) {
        guard let timeless else { return }
        for tag in text.placedTags { observe(tag, rendition: timeless) }
        advance(rendition: timeless, to: text.end)
    }
}

extension PresentationOutline {
    /// The indices of the rendition that represents a source, and of its audio.
    fileprivate var comparedRenditions: [Int] {
        [0] + renditions.indices.dropFirst().filter { renditions[$0].name == renditions[0].audioName }
    }
}
