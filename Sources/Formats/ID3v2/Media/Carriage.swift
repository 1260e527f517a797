/// The way in which a segment carries a tag.
public enum Carriage: Sendable, Hashable {
    /// In PES packets of a transport stream, on the elementary stream with this PID (13 bits).
    case transportStream(pid: UInt16)

    /// In an event message box (ISO/IEC 23009-1, 5.10.3.3).
    case eventMessage(EventMessage)

    /// Between the frames of packed audio (RFC 8216, section 3.4).
    case packedAudio

    /// Before the first sync byte of a transport stream, without a PID.
    case segmentFront

    /// In an `ID32` box of an MP4 file (mp4ra.org; ID3v2 in MPEG-4), which has no time.
    case metadataBox

    /// Passed by a player, which extracted it from its segment.
    case player

    /// Whether times are 33-bit PTS values of the MPEG-2 clock, which wrap after 26.5 hours; otherwise the container
    /// has a media timeline of its own.
    package var hasWrappingTime: Bool {
        switch self {
        case .transportStream, .packedAudio, .segmentFront: true
        case .eventMessage, .metadataBox, .player: false
        }
    }

    /// The fields of an event message box other than its message.
    ///
    /// They are reported as evidence and never decide whether the message is read.
    public struct EventMessage: Sendable, Hashable {
        /// The URI of the event scheme, as written in the box; it may be any text.
        public let schemeIDURI: String

        /// The box's `value`; it may be any text.
        public let value: String

        /// The box's version, 0 or 1.
        ///
        /// In version 0 the time is relative to the segment's earliest presentation time; in version 1 it is absolute.
        public let version: UInt8

        /// The box's `id`, which all repeats of an event share.
        public let id: UInt32

        /// The box's `event_duration` in its timescale; nil if it is 0xFFFFFFFF (unknown).
        public let duration: UInt32?

        /// Creates the fields of one box.
        public init(schemeIDURI: String, value: String, version: UInt8, id: UInt32, duration: UInt32?) {
            self.schemeIDURI = schemeIDURI
            self.value = value
            self.version = version
            self.id = id
            self.duration = duration
        }
    }
}
