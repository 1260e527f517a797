package import HTTPTransfer

/// What one input holds: the renditions of a programme, each a list of media segments.
package struct Programme: Sendable {
    /// The input as the user gave it.
    package let source: String

    /// The renditions to be read, the first of which goes before the others; never empty.
    package var renditions: [Rendition]

    /// What the user should know about the input before it is read.
    package var notes: [String] = []

    /// One rendition: a media playlist, a folder, or a lone segment.
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
        /// Its URI as the playlist has it, or its file name in a folder; nil for a lone segment.
        package let name: String?
        /// The part of the resource that it is (RFC 8216, section 4.3.2.2); nil for all of it.
        package internal(set) var byteRange: ByteRange?
        /// Its media sequence number; nil without a playlist.
        package internal(set) var mediaSequence: UInt64?
        /// Its length in seconds; 0 without a playlist.
        package internal(set) var duration: Double = 0
        /// Whether it begins behind EXT-X-DISCONTINUITY.
        package internal(set) var isDiscontinuity = false
        /// Whether the playlist says that it is not there (EXT-X-GAP).
        package internal(set) var isGap = false
        /// Its programme date and time in Unix milliseconds; nil without one.
        package internal(set) var programDateTime: Int64?
        /// How it is encrypted; nil where it is not.
        package internal(set) var encryption: Encryption?
        /// The media initialisation section that it needs (EXT-X-MAP); nil where it needs none.
        package internal(set) var initialization: Initialization?
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
        package var displayName: String { name ?? address.text }
    }

    /// A part of a resource.
    package struct ByteRange: Sendable, Hashable {
        /// The first byte, from 0.
        package let offset: UInt64
        /// How many bytes.
        package let length: UInt64
    }

    /// A media initialisation section.
    package struct Initialization: Sendable, Hashable {
        /// Where its bytes are.
        package let address: InputAddress
        /// The part of the resource that it is; nil for all of it.
        package let byteRange: ByteRange?
        /// How it is encrypted; nil where it is not.
        package let encryption: Encryption?
    }

    /// How a segment is encrypted (RFC 8216, section 4.3.2.4).
    package struct Encryption: Sendable, Hashable {
        /// `AES-128`, or the method that is not read.
        package let method: String
        /// Where the 16 bytes of the key are; nil where the method is not read.
        package let keyAddress: InputAddress?
        /// The 16 bytes of the initialisation vector.
        package let initializationVector: [UInt8]
    }
}
