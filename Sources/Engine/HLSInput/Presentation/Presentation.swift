package import HLSPlaylist
package import HTTPTransfer

/// What one input holds: the renditions of a presentation, each a list of media segments.
public struct Presentation: Sendable {
    /// The input as the user gave it.
    public let source: String

    /// The renditions to be read, the first of which goes before the others; never empty.
    package var renditions: [Rendition]

    /// What the user should know about the input before it is read.
    public var notes: [String] = []

    /// One rendition: a media playlist, a directory, or a single segment.
    package struct Rendition: Sendable {
        /// The media playlist's URI as the multivariant playlist has it; nil without one.
        package let uri: String?

        /// The media playlist of the audio that is played with this variant where nobody chooses another one, as the
        /// multivariant playlist has it; nil where none is named.
        package var audioURI: String?

        /// The segments in their order.
        package var segments: SegmentList

        /// Where requests for the segments may go.
        package let addressPolicy: AddressPolicy

        /// Whether segments may be added to its playlist.
        package var isLive = false
    }

    /// One media segment and what its playlist says of it.
    package struct Segment: Sendable {
        /// Where its bytes are.
        package internal(set) var address: InputAddress
        /// Its URI as the playlist has it, or its file name in a directory; nil for a single segment.
        package let name: String?
        /// The part of the resource that it is (RFC 8216, section 4.3.2.2); nil for all of it.
        package internal(set) var byteRange: ByteRange?
        /// Its media sequence number; nil without a playlist.
        package internal(set) var mediaSequence: UInt64?
        /// Its length in seconds; 0 without a playlist.
        package internal(set) var duration: Double = 0
        /// Whether it follows EXT-X-DISCONTINUITY.
        package internal(set) var isDiscontinuity = false
        /// Whether the playlist says that it is not there (EXT-X-GAP).
        package internal(set) var isGap = false
        /// Whether the playlist says that it belongs to an advertisement break.
        package internal(set) var isInBreak = false
        /// Its program date and time in Unix milliseconds; nil without one.
        package internal(set) var programDateTime: Int64?
        /// Whether the playlist states that date, rather than one from which the durations lead to it.
        package internal(set) var statesDate = false
        /// How it is encrypted; nil where it is not.
        package internal(set) var encryption: Encryption?
        /// The media initialization segment that it needs (EXT-X-MAP); nil where it needs none.
        package internal(set) var initialization: Initialization?
        /// What was read already and where the rest is, where the bytes come only once.
        var stream: OpenedStream?
        /// Whether the user named it, and not a playlist or a directory.
        var isNamedByUser = false
        /// Why it cannot be read, where the playlist already shows that.
        var unreadable: InputError?

        /// A segment of which nothing more is known than where it is.
        init(address: InputAddress, name: String?) {
            self.address = address
            self.name = name
        }

        /// Whether it was found in a directory, not named by a playlist or by the user.
        var isInDirectory: Bool { name != nil && mediaSequence == nil }

        /// What messages call it.
        package var displayName: String { name ?? address.text }
    }

    /// A media initialization segment.
    package struct Initialization: Sendable, Hashable {
        /// Its URI as the playlist has it.
        package let name: String
        /// Where its bytes are.
        package let address: InputAddress
        /// The part of the resource that it is; nil for all of it.
        package let byteRange: ByteRange?
        /// How it is encrypted; nil where it is not.
        package let encryption: Encryption?
    }

    /// How a segment is encrypted (RFC 8216, section 4.3.2.4).
    package struct Encryption: Sendable, Hashable {
        /// `AES-128`, or the method that is not supported.
        package let method: String
        /// Where the 16 bytes of the key are; nil where the method is not supported.
        package let keyAddress: InputAddress?
        /// The 16 bytes of the initialization vector.
        package let initializationVector: [UInt8]
    }
}
