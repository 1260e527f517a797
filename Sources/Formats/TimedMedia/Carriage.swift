/// How a tag travels in its segment.
public enum Carriage: Sendable, Hashable {
    /// In PES packets of a transport stream, on the elementary stream with this PID (13 bits).
    case transportStream(pid: UInt16)

    /// In an event message box (ISO/IEC 23009-1, 5.10.3.3).
    case eventMessage(EventMessage)

    /// Among the frames of packed audio (RFC 8216, section 3.4).
    case packedAudio

    /// Before the first sync byte of a transport stream, on no PID.
    case segmentFront

    /// In an `ID32` box of an MP4 file (mp4ra.org; ID3v2 in MPEG-4), which has no time.
    case metadataBox

    /// Handed over by a player, which took it out of its segment.
    case player

    /// What an event message box says beside its message: evidence to report, never the reason to read it.
    public struct EventMessage: Sendable, Hashable {
        /// The URI that names the kind of event; any text, as the box has it.
        public let schemeIDURI: String

        /// The box's `value`; any text.
        public let value: String

        /// The box's version, 0 or 1.
        ///
        /// In version 0 the time is a delta from the segment's earliest presentation time, in 1 it is absolute.
        public let version: UInt8

        /// The box's `id`, which a repeat of the same event repeats.
        public let id: UInt32

        /// The box's `event_duration` in its timescale; nil where it is 0xFFFFFFFF, unknown.
        public let duration: UInt32?

        /// The fields of one box.
        public init(schemeIDURI: String, value: String, version: UInt8, id: UInt32, duration: UInt32?) {
            self.schemeIDURI = schemeIDURI
            self.value = value
            self.version = version
            self.id = id
            self.duration = duration
        }
    }
}
