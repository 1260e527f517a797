package import ID3v2

/// Everything read from one media segment of one rendition, unmerged and complete, as input to the checks.
package struct SegmentObservation: Sendable {
    /// The rendition of the segment.
    package let rendition: RenditionID

    /// The segment; nil for a file in a folder that does not belong to the stream.
    package var segment: ObservedSegment?

    /// The Nielsen tags completed by this segment, in byte order.
    ///
    /// A tag that began in an earlier segment names that segment.
    package var tags: [TagOccurrence]

    /// The incomplete Nielsen tags at the end of the rendition; empty unless this is the last segment.
    package var trailingTags: [TagOccurrence]

    /// The number of tags of other owners completed by this segment.
    package let otherTagCount: Int

    /// The recognizable errors in those other tags, with offsets from the start of the segment.
    package let malformedOtherTags: CarriageFacts.Bounded<CarriageFacts.MalformedRange>

    /// Whether this is the last segment of the rendition.
    package let isLast: Bool

    /// Creates the observation of a segment.
    package init(
        rendition: RenditionID, segment: ObservedSegment?, tags: [TagOccurrence],
        trailingTags: [TagOccurrence] = [],
        otherTagCount: Int = 0,
        malformedOtherTags: CarriageFacts.Bounded<CarriageFacts.MalformedRange> = .init(),
        isLast: Bool = false
    ) {
        self.rendition = rendition
        self.segment = segment
        self.tags = tags
        self.trailingTags = trailingTags
        self.otherTagCount = otherTagCount
        self.malformedOtherTags = malformedOtherTags
        self.isLast = isLast
    }
}

extension TimedMetadata {
    /// The first ID3v2 rule that the tag breaks, with its position from the start of the segment.
    ///
    /// Nil if the tag breaks no rule or is truncated.
    package var malformation: CarriageFacts.MalformedRange? {
        guard completeness == .complete else { return nil }
        do throws(ID3Error) {
            let tag = try ID3Tag(bytes.span)
            var frames = tag.frames
            while frames.next() != nil {}
            if let defect = frames.defect { throw defect }
            guard !tag.deviations.isEmpty else { return nil }
            return .init(offset: offset, length: bytes.count, rules: tag.deviations.rules)
        } catch {
            let offset = offset.addingReportingOverflow(error.offset).partialValue
            return .init(offset: offset, length: max(0, bytes.count - error.offset), rule: error.rule)
        }
    }
}

/// The identity of a rendition within a presentation or a live channel.
package struct RenditionID: Sendable, Hashable, Comparable {
    /// The address of a live channel that a rendition belongs to; recorded input has only a primary.
    package enum Source: Sendable, Hashable, Comparable {
        case primary
        case backup
    }

    /// The source of the rendition.
    package let source: Source
    /// The index among the renditions of the source, counted from 0.
    package let index: Int

    /// Creates the identity of a rendition.
    package init(_ index: Int, of source: Source = .primary) {
        self.source = source
        self.index = index
    }

    /// The first rendition of the primary.
    package static let first = RenditionID(0)

    /// Orders renditions by source, then by index.
    package static func < (one: RenditionID, other: RenditionID) -> Bool {
        (one.source, one.index) < (other.source, other.index)
    }
}
