/// What a container says about one segment and the tags in it: what stream checks look at.
///
/// Lists are bounded (`maximumListed`); the count beside each goes on.
public struct CarriageFacts: Sendable, Hashable {
    /// How many entries each list keeps at most: a hostile segment must not fill the memory.
    package static let maximumListed = 64

    /// What the segment's bytes are.
    public var container: Container = .unknown

    /// How many bytes the segment has, including those that were skipped.
    public var byteCount: UInt64 = 0

    /// The earliest presentation time of audio (video where there is no audio) in the segment.
    public var earliestMediaTime: MediaTimestamp?

    /// The last such time at which an access unit or fragment begins.
    public var latestMediaTime: MediaTimestamp?

    /// Whether the segment has audio, whose times those two then are; nil where it has neither audio nor video that
    /// is known.
    package var hasAudio: Bool?

    /// The programs of a transport stream that carry, or declare, timed ID3, in the order of the PAT.
    package var programs: [Program] = []

    /// Steps of the continuity counter on a timed-ID3 PID that show missing packets (ISO/IEC 13818-1, 2.4.3.3).
    package var continuityErrors = Bounded<ContinuityError>()

    /// How many transport packets on timed-ID3 PIDs were duplicates: same counter, same bytes.
    package var repeatedPacketCount = 0

    /// How many metadata PES packets in which a tag begins have no PTS.
    package var missingPTSCount = 0

    /// How many tags were truncated: their PES packet ended and nothing continued them.
    package var truncatedPESCount = 0

    /// How many metadata PES packets began in the segment.
    package var metadataPESCount = 0

    /// How many of those libavformat gave no packet for, so that only the reassembled payload has them.
    package var unreportedPESCount = 0

    /// Event message boxes that repeat an id of the same scheme and value with other data.
    package var changedEventMessages = Bounded<UInt32>()

    /// Ranges that claim to be something and break its rules.
    package var malformed = MalformedRanges()

    /// The facts of a segment of which nothing is known yet.
    package init() {}

    /// What a segment's bytes are, told by content and never by name.
    public enum Container: Sendable, Hashable {
        /// None of the known ones, or empty.
        case unknown
        /// An MPEG-2 transport stream with packets of `packetSize` bytes: 188, 192 or 204.
        case transportStream(packetSize: Int)
        /// A fragmented MP4 file (ISO/IEC 14496-12): an initialization segment where it has `moov` and no `moof`.
        case fragmentedMP4(isInitialization: Bool)
        /// Packed audio (RFC 8216, section 3.4).
        case packedAudio(AudioFormat)
    }

    /// The formats of packed audio.
    public enum AudioFormat: String, Sendable, Hashable, CaseIterable {
        /// AAC in ADTS frames.
        case aac
        /// MPEG audio, layer I to III.
        case mp3
        /// AC-3 (ETSI TS 102 366).
        case ac3
        /// Enhanced AC-3 (ETSI TS 102 366, annex E).
        case eac3
        /// ID3 tags and no audio frame that is known.
        case unknown
    }

    /// One program of a transport stream as its PMT declares it (ISO/IEC 13818-1, 2.4.4.8).
    package struct Program: Sendable, Hashable {
        /// The program number.
        package let number: UInt16
        /// The PID of its PMT.
        package let pmtPID: UInt16
        /// Whether the program loop has a metadata_pointer_descriptor (0x25) with the identifier `ID3 `.
        package let hasMetadataPointer: Bool
        /// The elementary streams that carry, or may carry, timed ID3.
        package let streams: [MetadataStream]

        /// The declaration of one program.
        package init(number: UInt16, pmtPID: UInt16, hasMetadataPointer: Bool, streams: [MetadataStream]) {
            self.number = number
            self.pmtPID = pmtPID
            self.hasMetadataPointer = hasMetadataPointer
            self.streams = streams
        }
    }

    /// An elementary stream that carries, or may carry, timed ID3.
    package struct MetadataStream: Sendable, Hashable {
        /// The stream's PID.
        package let pid: UInt16
        /// The `stream_type` of the PMT: 0x15 for metadata in PES packets.
        package let streamType: UInt8
        /// Whether the stream loop has a metadata_descriptor (0x26) with the identifier `ID3 `.
        package let hasMetadataDescriptor: Bool

        /// The declaration of one stream.
        package init(pid: UInt16, streamType: UInt8, hasMetadataDescriptor: Bool) {
            self.pid = pid
            self.streamType = streamType
            self.hasMetadataDescriptor = hasMetadataDescriptor
        }
    }

    /// A continuity counter that skips a value.
    package struct ContinuityError: Sendable, Hashable {
        /// Where the transport packet begins, in bytes from the segment's start.
        package let offset: Int
        /// The PID of the packet.
        package let pid: UInt16
        /// The expected counter, 0 to 15.
        package let expected: UInt8
        /// The counter found.
        package let found: UInt8

        /// One error.
        package init(offset: Int, pid: UInt16, expected: UInt8, found: UInt8) {
            self.offset = offset
            self.pid = pid
            self.expected = expected
            self.found = found
        }
    }

    /// The first entries of a list and the count of all.
    package struct Bounded<Element: Sendable & Hashable>: Sendable, Hashable {
        /// The first entries, at most `maximumListed`.
        package private(set) var first: [Element] = []
        /// How many there were.
        package private(set) var count = 0

        /// An empty list.
        package init() {}

        /// Counts an entry, and lists it while there is room.
        package mutating func append(_ element: Element) {
            count += 1
            if first.count < CarriageFacts.maximumListed { first.append(element) }
        }

        /// Adds another list: its count, and as many of its entries as there is room for.
        package mutating func append(contentsOf other: Bounded) {
            count += other.count
            first += other.first.prefix(CarriageFacts.maximumListed - first.count)
        }
    }
}
