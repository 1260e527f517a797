public import HTTPTransfer

/// What one input holds: the renditions of a programme, each a list of media segments.
public struct Programme: Sendable {
    /// The input as the user gave it.
    public let source: String

    /// The renditions to be read, the first of which goes before the others; never empty.
    public var renditions: [Rendition]

    /// What the user should know about the input before it is read.
    public var notes: [String] = []

    /// One rendition: a media playlist, a folder, or a lone segment.
    public struct Rendition: Sendable {
        /// The media playlist's URI as the multivariant playlist has it; nil without one.
        public let uri: String?

        /// The media playlist of the audio that is played with this variant where nobody chooses another one, as the
        /// multivariant playlist has it; nil where none is named.
        public var audioURI: String?

        /// The segments in their order.
        public var segments: SegmentList

        /// Where requests for the segments may go.
        public let addressPolicy: AddressPolicy
    }

    /// One media segment and what its playlist says of it.
    public struct Segment: Sendable {
        /// Where its bytes are.
        public internal(set) var address: InputAddress
        /// Its URI as the playlist has it, or its file name in a folder; nil for a lone segment.
        public let name: String?
        /// The part of the resource that it is (RFC 8216, section 4.3.2.2); nil for all of it.
        public internal(set) var byteRange: ByteRange?
        /// Its media sequence number; nil without a playlist.
        public internal(set) var mediaSequence: UInt64?
        /// Its length in seconds; 0 without a playlist.
        public internal(set) var duration: Double = 0
        /// Whether it begins behind EXT-X-DISCONTINUITY.
        public internal(set) var isDiscontinuity = false
        /// Whether the playlist says that it is not there (EXT-X-GAP).
        public internal(set) var isGap = false
        /// Its programme date and time in Unix milliseconds; nil without one.
        public internal(set) var programDateTime: Int64?
        /// How it is encrypted; nil where it is not.
        public internal(set) var encryption: Encryption?
        /// The media initialisation section that it needs (EXT-X-MAP); nil where it needs none.
        public internal(set) var initialization: Initialization?
        /// What was read already and where the rest is, where the bytes come only once.
        var readAhead: ReadAhead?
        /// Why it cannot be read, where the playlist already shows that.
        var unreadable: InputError?

        /// A segment of which nothing more is known than where it is.
        init(address: InputAddress, name: String?) {
            self.address = address
            self.name = name
        }

        /// Whether it was found in a folder, not named by a playlist or by the user.
        var isInFolder: Bool { name != nil && mediaSequence == nil }

        /// What messages call it.
        public var displayName: String { name ?? address.text }
    }

    /// A part of a resource.
    public struct ByteRange: Sendable, Hashable {
        /// The first byte, from 0.
        public let offset: UInt64
        /// How many bytes.
        public let length: UInt64
    }

    /// A media initialisation section.
    public struct Initialization: Sendable, Hashable {
        /// Where its bytes are.
        public let address: InputAddress
        /// The part of the resource that it is; nil for all of it.
        public let byteRange: ByteRange?
        /// How it is encrypted; nil where it is not.
        public let encryption: Encryption?
    }

    /// How a segment is encrypted (RFC 8216, section 4.3.2.4).
    public struct Encryption: Sendable, Hashable {
        /// `AES-128`, or the method that is not read.
        public let method: String
        /// Where the 16 bytes of the key are; nil where the method is not read.
        public let keyAddress: InputAddress?
        /// The 16 bytes of the initialisation vector.
        public let initializationVector: [UInt8]
    }
}
