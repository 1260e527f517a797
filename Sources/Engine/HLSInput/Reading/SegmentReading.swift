import HostSystem
public import ID3v2
public import NielsenID3
import TagRecord

/// The result of reading one media segment.
public struct SegmentReading: Sendable {
    /// The input as named by the user.
    public let source: String

    /// The name of the segment in messages.
    public internal(set) var name: String

    /// The outcome of reading the segment.
    public internal(set) var outcome: Outcome

    /// The Nielsen tags that are complete now, each with its problems and all renditions that carry it.
    ///
    /// Some may have been found in earlier segments.
    public var tags: [TagOccurrence] = []

    /// The tags of other owners in this segment, if requested.
    package internal(set) var otherTags: [OtherTagOccurrence] = []

    /// The reason why the segment's initialization section was not read, after the first segment that reported it as
    /// its outcome; nil if the times of the segment are known.
    package internal(set) var missingInitialization: InputError?

    /// The segment and all its tags for the checks, before merging.
    package internal(set) var observation: SegmentObservation

    /// Returns the reading without the secrets of addresses, except in `source`, and in the tags, whose ids depend on
    /// them.
    ///
    /// - Parameter isInNetwork: Whether the playlist of the segment is from a network.
    func printable(inNetwork isInNetwork: Bool) -> SegmentReading {
        // The tags of a segment have one place, but for the renditions.
        let hasAddressInTags =
            observation.tags.contains(where: \.origin.place.hasAddress)
            || observation.trailingTags.contains(where: \.origin.place.hasAddress)
        let isRead = if case .failed = outcome { false } else { missingInitialization == nil }
        if isRead, !isInNetwork, !hasAddressInTags, !PrintableAddress.isNetwork(name) { return self }
        var reading = self
        reading.name = PrintableAddress.of(reference: name, inNetwork: isInNetwork)
        if case .failed(let error) = outcome {
            reading.outcome = .failed(error.printable(inNetwork: isInNetwork))
        }
        reading.missingInitialization = missingInitialization?.printable(inNetwork: isInNetwork)
        let segment = observation.segment?.name
        reading.observation.segment?.name = segment.map {
            PrintableAddress.of(reference: $0, inNetwork: isInNetwork)
        }
        guard hasAddressInTags else { return reading }
        for index in observation.tags.indices {
            reading.observation.tags[index].origin.place = observation.tags[index].origin.place.printable
        }
        for index in observation.trailingTags.indices {
            reading.observation.trailingTags[index].origin.place =
                observation.trailingTags[index].origin.place.printable
        }
        return reading
    }

    /// The reading with tags for a report, without the secrets of addresses.
    package var printable: SegmentReading {
        if !tags.contains(where: \.origin.place.hasAddress), !otherTags.contains(where: \.place.hasAddress) {
            return self
        }
        var reading = self
        for index in tags.indices { reading.tags[index].origin.place = tags[index].origin.place.printable }
        for index in otherTags.indices { reading.otherTags[index].place = otherTags[index].place.printable }
        return reading
    }

    /// The outcome of reading a segment.
    public enum Outcome: Sendable {
        /// The segment was read, with its byte count and container facts.
        case read(byteCount: UInt64, facts: CarriageFacts)
        /// The playlist marks the segment as missing.
        case gap
        /// The file is a playlist in a directory, which is not followed.
        case playlist
        /// The segment or its initialization segment could not be read completely.
        ///
        /// Tags found before the error are included.
        case failed(InputError)
    }
}
