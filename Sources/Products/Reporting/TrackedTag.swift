import NielsenID3
import StreamHealth

/// The row of one tag on a page: what plots and table show, without the owner identifier, which a hundred thousand
/// tags would make into 25 MB.
struct TrackedTag: Sendable {
    /// Seconds of media before it.
    var position: Double
    /// The presentation time in seconds on the unwrapped clock; nil where there is none.
    var seconds: Double?
    /// The presentation time in ticks as the container has it; nil where there is none.
    var pts: UInt64?
    /// Seconds from the audio to the tag; nil where that cannot be told.
    var audioDistance: Float?
    /// Seconds of the presentation back to the DATA tag before; nil where that is not counted.
    var spacing: Float?
    /// Seconds that the tags' clock has gained on the stream's; nil where that cannot be told.
    var drift: Float?
    /// Whether a CID becomes another one with it.
    var changesSource = false
    /// Which of the track's segment names it has; nil for a bare segment.
    var segment: Int32?
    /// Which of the track's carriages it has.
    var carriage: Int32
    var kind: Kind
    var sequence: UInt16?
    var firstTime: UInt32?
    var lastTime: UInt32?
    /// Which of the track's CIDs it is; nil where it cannot be read.
    var pcCID: Int32?
    var fdCID: Int32?
    var pcOffset: Int32?
    var fdOffset: Int32?
    var breakout: UInt8?
    var isChecksumValid: Bool?
    /// The checks that it was a place of, without information.
    var problems: CheckSet
    /// The worst status of those; `pass` where there are none.
    var severity: CheckStatus

    /// The kinds that plots tell apart.
    enum Kind: UInt8, Sendable, CaseIterable {
        case data
        case info
        case unknown
        /// The container ended, or lost a packet, before the tag did.
        case truncated
        /// Its kind cannot be read.
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

    /// The kind as a page names it.
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
