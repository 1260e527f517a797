/// The facts about one segment's container and its tags, as input to the stream checks.
///
/// Each list has at most `maximumListed` entries; its count includes the omitted ones.
public struct CarriageFacts: Sendable, Hashable {
    /// The maximum number of entries in each list, which bounds the memory that a hostile segment can use.
    package static let maximumListed = 64

    /// The container format of the segment.
    public var container: Container = .unknown

    /// The length of the segment in bytes, including skipped bytes.
    public var byteCount: UInt64 = 0

    /// Whether the bytes end within a transport packet, a PAT or PMT section, a box, an audio frame of packed audio, or
    /// a tag beside such frames.
    ///
    /// Such a segment was truncated, or was still being written when it was loaded. A PES packet and the tag in it may
    /// continue in the next segment, so an incomplete one does not count.
    package var isTruncated = false

    /// Whether the segment is an MP4 file with samples outside of fragments: it has `moov` without `mvex`.
    package var isProgressive = false

    /// The earliest presentation time of audio in the segment, or of video if there is no audio.
    public var earliestMediaTime: MediaTimestamp?

    /// The latest presentation time at which an access unit or fragment begins, of the same medium.
    public var latestMediaTime: MediaTimestamp?

    /// Whether the segment has audio, so that the two times are audio times.
    ///
    /// Nil if the segment has no recognized audio or video.
    package var hasAudio: Bool?

    /// The programs of a transport stream that carry or declare timed ID3, in PAT order.
    package var programs: [Program] = []

    /// Gaps in the continuity counter on a timed-ID3 PID, which indicate missing packets (ISO/IEC 13818-1, 2.4.3.3).
    package var continuityErrors = Bounded<ContinuityError>()

    /// Whether one of these gaps shows that packets are missing; a counter that does not count shows nothing.
    package var lacksPackets = false

    /// The number of duplicate transport packets on timed-ID3 PIDs: same counter, same bytes.
    package var repeatedPacketCount = 0

    /// The number of metadata PES packets in which a tag begins and that have no PTS.
    package var missingPTSCount = 0

    /// The number of truncated tags: their PES packet ended and no later packet continued them.
    package var truncatedPESCount = 0

    /// The number of metadata PES packets that began in the segment.
    package var metadataPESCount = 0

    /// The number of those packets that libavformat did not return, so that only the reassembled payload contains them.
    package var unreportedPESCount = 0

    /// The ids of event message boxes that repeat the id of an earlier box of the same scheme and value with different
    /// data.
    package var changedEventMessages = Bounded<UInt32>()

    /// Ranges that look like a known structure but break its rules.
    package var malformed = MalformedRanges()

    /// Whether bytes are missing or were skipped in which tags may have been.
    ///
    /// A malformed ID3 tag does not count: it was read.
    package var lacksBytes: Bool {
        isTruncated || lacksPackets || malformed.first.contains { $0.rules.contains(where: \.skipsBytes) }
    }

    /// Creates the facts of a segment that has not been read yet.
    package init() {}

    /// The container format of a segment, detected from its content and never from its name.
    public enum Container: Sendable, Hashable {
        /// Not detected.
        case unknown
        /// An MPEG-2 transport stream with packets of `packetSize` bytes: 188, 192 or 204.
        case transportStream(packetSize: Int)
        /// A fragmented MP4 file (ISO/IEC 14496-12); it is an initialization segment if it has `moov` and no `moof`.
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
        /// ID3 tags without a recognized audio frame.
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

        /// Creates the declaration of one program.
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

        /// Creates the declaration of one stream.
        package init(pid: UInt16, streamType: UInt8, hasMetadataDescriptor: Bool) {
            self.pid = pid
            self.streamType = streamType
            self.hasMetadataDescriptor = hasMetadataDescriptor
        }
    }

    /// A continuity counter that skips a value.
    package struct ContinuityError: Sendable, Hashable {
        /// The offset of the transport packet, in bytes from the start of the segment.
        package let offset: Int
        /// The PID of the packet.
        package let pid: UInt16
        /// The expected counter, 0 to 15.
        package let expected: UInt8
        /// The counter found.
        package let found: UInt8

        /// Creates one error.
        package init(offset: Int, pid: UInt16, expected: UInt8, found: UInt8) {
            self.offset = offset
            self.pid = pid
            self.expected = expected
            self.found = found
        }
    }

    /// The first entries of a list, with the count of all entries.
    package struct Bounded<Element: Sendable & Hashable>: Sendable, Hashable {
        /// The first entries, at most `maximumListed`.
        package private(set) var first: [Element] = []
        /// The number of all entries, including the omitted ones.
        package private(set) var count = 0

        /// Creates an empty list.
        package init() {}

        /// Counts an entry and stores it if there is room.
        package mutating func append(_ element: Element) {
            count += 1
            if first.count < CarriageFacts.maximumListed { first.append(element) }
        }

        /// Adds the count of another list, and as many of its entries as there is room for.
        package mutating func append(contentsOf other: Bounded) {
            count += other.count
            first += other.first.prefix(CarriageFacts.maximumListed - first.count)
        }
    }
}
