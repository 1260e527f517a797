/// The id of a deviation from the guides, such as `tag.after-stop`; measurement continues.
public struct SessionFinding: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The id, as it appears in logs and summaries.
    public let rawValue: String

    /// Creates the finding with an id.
    public init(rawValue: String) { self.rawValue = rawValue }

    init(_ id: String) { rawValue = id }

    /// The id.
    public var description: String { rawValue }

    static let playMissing = SessionFinding("play.missing")
    static let playHeartbeat = SessionFinding("play.heartbeat")
    static let metadataMissing = SessionFinding("metadata.missing")
    static let tagAfterStop = SessionFinding("tag.after-stop")
    static let tagAfterEnd = SessionFinding("tag.after-end")
    static let tagBeforeStart = SessionFinding("tag.before-start")
    static let tagInBackground = SessionFinding("tag.in-background")
    static let tagEmpty = SessionFinding("tag.empty")
    static let tagInvalid = SessionFinding("tag.invalid")
    static let tagTooLong = SessionFinding("tag.too-long")
    static let tagRepeat = SessionFinding("tag.repeat")
    static let tagUnpadded = SessionFinding("tag.unpadded")
    static let tagQuarantined = SessionFinding("tag.quarantined")
    static let tagNotPresented = SessionFinding("tag.not-presented")
    static let playheadMilliseconds = SessionFinding("playhead.milliseconds")
    static let playheadBackwards = SessionFinding("playhead.backwards")
    static let playheadGap = SessionFinding("playhead.gap")
    static let playheadInvalid = SessionFinding("playhead.invalid")
    static let channelTooLong = SessionFinding("channel.too-long")
    static let valueType = SessionFinding("value.type")
    static let keyCase = SessionFinding("key.case")
    static let keyMissing = SessionFinding("key.missing")
    static let keyLength = SessionFinding("key.length")
    static let keyAlphabet = SessionFinding("key.alphabet")
    static let keyAirdate = SessionFinding("key.airdate")
    static let keyValue = SessionFinding("key.value")
    static let notMeasured = SessionFinding("not.measured")
    static let callUnknown = SessionFinding("call.unknown")
    static let callOutOfOrder = SessionFinding("call.out-of-order")
    static let adNotClosed = SessionFinding("ad.not-closed")
    static let queueOverflow = SessionFinding("queue.overflow")

    /// Whether a call without its values has such a finding because they are missing.
    var isAboutValue: Bool {
        switch self {
        case .tagEmpty, .tagInvalid, .playheadInvalid, .valueType, .keyValue, .keyLength, .keyAlphabet,
            .keyAirdate, .adNotClosed:
            true
        default: false
        }
    }
}
