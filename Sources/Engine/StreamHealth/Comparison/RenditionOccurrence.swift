import ID3v2
import NielsenID3

/// The identity of a tag across renditions: the sequence and the blob.
struct RenditionTagIdentity: Sendable, Hashable {
    let sequence: UInt16
    let kind: NielsenTag.Kind
    private let blob: [UInt8]

    /// Creates the identity of a valid tag, or nil for a damaged tag, which only fills its position.
    init?(_ occurrence: TagOccurrence) {
        let tag = occurrence.tag
        guard !occurrence.isTruncated, tag.formatDefect == nil, tag.isChecksumValid != false,
            let sequence = tag.sequence, let kind = tag.kind
        else { return nil }
        let pieces = tag.ownerIdentifier.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard pieces.count > 3 else { return nil }
        self.sequence = sequence
        self.kind = kind
        blob = Array(pieces[3])
    }

    /// The tag named in a sentence.
    var text: String {
        switch kind {
        case .data: "DATA tag \(sequence)"
        case .info: "INFO tag \(sequence)"
        case .unknown: "Tag \(sequence)"
        }
    }
}

/// One occurrence of a tag in a stream: a rendition or, in a comparison of sources, a source.
struct RenditionOccurrence: Sendable {
    let stream: Int
    /// The position on the rendition's own media timeline.
    let position: Double
    var place: Finding.Place
    /// The range of times stated by the tag, in Unix seconds; nil without one.
    let tagTimes: ClosedRange<UInt32>?
    /// The time on the stream's clock in seconds; nil without a time.
    private let time: Double?
    /// Whether the time is on the 33-bit transport stream clock.
    let isOnTransportClock: Bool

    /// The period of the 33-bit clock at 90 kHz, in seconds.
    private static let period =
        Double(MediaTimestamp.transportPeriod) / Double(MediaTimestamp.transportTimescale)

    init(_ tag: TagOccurrence, stream: Int, name: String?, index: Int, isTimeless: Bool = false) {
        self.stream = stream
        position = tag.position
        var place = Finding.Place(tag, index: index, rendition: name)
        if isTimeless { place.position = nil }
        self.place = place
        if let first = tag.tag.firstTime, let last = tag.tag.lastTime {
            tagTimes = min(first, last)...max(first, last)
        } else {
            tagTimes = nil
        }
        time = tag.seconds.flatMap { $0.isFinite ? $0 : nil }
        isOnTransportClock = time != nil && tag.carriage.hasWrappingTime
    }

    /// Returns the seconds on the stream's clock from another occurrence to this one, or nil without a common clock.
    ///
    /// The renditions are unwrapped separately, so one may be later by whole 33-bit periods; these are removed.
    func clockDistance(from other: RenditionOccurrence) -> Double? {
        guard let time, let base = other.time, isOnTransportClock == other.isOnTransportClock else {
            return nil
        }
        let distance = time - base
        return isOnTransportClock ? Self.withoutPeriods(distance) : distance
    }

    /// Removes whole periods from a distance on the transport stream clock.
    static func withoutPeriods(_ distance: Double) -> Double {
        distance - (distance / period).rounded() * period
    }

    /// Returns the range of times stated by tags, in Unix seconds; nil without one.
    static func tagTimes(of occurrences: [RenditionOccurrence]) -> ClosedRange<UInt32>? {
        let times = occurrences.compactMap(\.tagTimes)
        guard let first = times.map(\.lowerBound).min(), let last = times.map(\.upperBound).max() else {
            return nil
        }
        return first...last
    }
}
