import NielsenID3
import StreamHealth

/// One tag's row on a page: the fields for plots and table.
///
/// The owner identifier is not included, because it takes 25 MB for a hundred thousand tags.
struct TrackedTag: Sendable {
    /// The media position of the tag, in seconds.
    var position: Double
    /// The presentation time in seconds on the unwrapped clock; nil without one.
    var seconds: Double?
    /// The presentation time in ticks as stored in the container; nil without one.
    var pts: UInt64?
    /// Seconds from the audio to the tag; nil if unknown.
    var audioDistance: Float?
    /// Seconds of media since the previous DATA tag; nil if not counted.
    var spacing: Float?
    /// The drift of the tags' clock against the stream's, in seconds; nil if unknown.
    var drift: Float?
    /// Whether a CID changes at this tag.
    var changesSource = false
    /// The index of its segment in the track's segment names; nil for a segment without a name.
    var segment: Int32?
    /// The index of its carriage in the track's carriages.
    var carriage: Int32
    var kind: Kind
    var sequence: UInt16?
    var firstTime: UInt32?
    var lastTime: UInt32?
    /// The index of the CID in the track's CIDs; nil if unreadable.
    var pcCID: Int32?
    var fdCID: Int32?
    var pcOffset: Int32?
    var fdOffset: Int32?
    var breakout: UInt8?
    var isChecksumValid: Bool?
    /// The checks violated at the tag, without information.
    var problems: CheckSet
    /// The worst status of its problems; `pass` without any.
    var severity: CheckStatus

    /// The kinds of tags that plots distinguish.
    enum Kind: UInt8, Sendable, CaseIterable {
        case data
        case info
        case unknown
        /// The container ended, or lost a packet, before the end of the tag.
        case truncated
        /// The kind of the tag is unreadable.
        case unreadable
    }
}

extension TrackedTag.Kind {
    init(_ tag: TagOccurrence) {
        if tag.isTruncated {
            self = .truncated
            return
        }
        self =
            switch tag.tag.kind {
            case .data: .data
            case .info: .info
            case .unknown: .unknown
            case nil: .unreadable
            }
    }

    /// The name of the kind on a page.
    var word: String {
        switch self {
        case .data: "DATA"
        case .info: "INFO"
        case .unknown: "unknown"
        case .truncated: "truncated"
        case .unreadable: "unreadable"
        }
    }
}
