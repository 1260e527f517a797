import NielsenID3
import TimedMedia

/// What makes two tags of different renditions the same: the sequence and the blob.
struct RenditionTagIdentity: Sendable, Hashable {
    let sequence: UInt16
    let kind: NielsenTag.Kind
    private let blob: [UInt8]

    /// The identity of a tag that is right; nil for one that is damaged, which only fills its place.
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

    /// The tag in a sentence.
    var text: String {
        switch kind {
        case .data: "DATA tag \(sequence)"
        case .info: "INFO tag \(sequence)"
        case .unknown: "Tag \(sequence)"
        }
    }
}

/// One place at which a rendition carries a tag.
struct RenditionOccurrence: Sendable {
    let rendition: Int
    /// The place on the rendition's own line of media time.
    let position: Double
    let place: Finding.Place
    /// The time on the stream's clock, and which clock that is; nil where there is none.
    private let time: Time?

    private struct Time: Sendable {
        let seconds: Double
        let isTransport: Bool
    }

    /// The period of 33 bits at 90 kHz, in seconds.
    private static let period =
        Double(MediaTimestamp.transportPeriod) / Double(MediaTimestamp.transportTimescale)

    init(_ tag: TagOccurrence, rendition: Int, name: String?, index: Int, isTimeless: Bool = false) {
        self.rendition = rendition
        position = tag.position
        var place = Finding.Place(tag, index: index, rendition: name)
        if isTimeless { place.position = nil }
        self.place = place
        time = tag.seconds.flatMap { seconds in
            guard seconds.isFinite else { return nil }
            // A transport stream and packed audio share the MPEG-2 clock; the media line of fMP4 is another one.
            switch tag.carriage {
            case .transportStream, .packedAudio, .segmentFront:
                return Time(seconds: seconds, isTransport: true)
            case .eventMessage, .metadataBox, .player: return Time(seconds: seconds, isTransport: false)
            }
        }
    }

    /// How many seconds of the stream's clock this place comes after another one; nil where they have no clock in
    /// common.
    ///
    /// Each rendition is unwrapped by itself, so that one may be whole periods of 33 bits later.
    func clockDistance(from other: RenditionOccurrence) -> Double? {
        guard let time, let base = other.time, time.isTransport == base.isTransport else { return nil }
        let distance = time.seconds - base.seconds
        return time.isTransport ? Self.withoutPeriods(distance) : distance
    }

    /// A distance on the clock of transport streams without whole periods of it.
    static func withoutPeriods(_ distance: Double) -> Double {
        distance - (distance / period).rounded() * period
    }

    /// Whether the time is one of 33 bits.
    var isOnTransportClock: Bool { time?.isTransport == true }
}
