package import HLSPlaylist
package import HTTPTransfer
package import ID3v2

/// The content of one input: the renditions of a presentation, each with its list of media segments.
public struct Presentation: Sendable {
    /// The input as named by the user.
    public let source: String

    /// The renditions to read, most important first; never empty.
    package var renditions: [Rendition]

    /// Messages for the user about the input, available before it is read.
    public var notes: [String] = []

    /// The number of chosen renditions whose playlists could not be read; the notes have the reasons.
    package internal(set) var unreadRenditionCount = 0

    /// The cookies that its playlists have set, which requests for its segments and keys use and change.
    var cookies: CookieJar?

    /// One rendition: a media playlist, a directory, or a single segment.
    package struct Rendition: Sendable {
        /// The media playlist's URI in the multivariant playlist, or nil without one.
        package let uri: String?

        /// The URI of the default audio playlist for this variant in the multivariant playlist, or nil if it has none.
        package var audioURI: String?

        /// The segments, in order.
        package var segments: SegmentList

        /// The addresses to which requests for the segments may go.
        package let addressPolicy: AddressPolicy

        /// Whether segments may still be added to the playlist.
        package var isLive = false
    }

    /// One media segment, with its attributes from the playlist.
    package struct Segment: Sendable {
        /// The location of the segment's bytes.
        package internal(set) var address: InputAddress
        /// The segment's URI in the playlist or file name in a directory, or nil for a single segment.
        package let name: String?
        /// The byte range of the segment in the resource (RFC 8216, section 4.3.2.2), or nil for the whole resource.
        package internal(set) var byteRange: ByteRange?
        /// The media sequence number, or nil without a playlist.
        package internal(set) var mediaSequence: UInt64?
        /// The duration in seconds; 0 without a playlist.
        package internal(set) var duration: Double = 0
        /// Whether the segment follows EXT-X-DISCONTINUITY.
        package internal(set) var isDiscontinuity = false
        /// Whether the playlist marks the segment as missing (EXT-X-GAP).
        package internal(set) var isGap = false
        /// Whether the playlist places the segment in an advertisement break.
        package internal(set) var isInBreak = false
        /// The program date-time in Unix milliseconds, or nil without one.
        package internal(set) var programDateTime: Int64?
        /// Whether the playlist gives the date explicitly, rather than by an earlier date plus durations.
        package internal(set) var statesDate = false
        /// The encryption, or nil for none.
        package internal(set) var encryption: Encryption?
        /// The media initialization segment (EXT-X-MAP), or nil for none.
        package internal(set) var initialization: Initialization?
        /// The open stream, if the bytes can be read only once.
        var stream: OpenedStream?
        /// Whether the user named the segment, rather than a playlist or directory.
        var isNamedByUser = false
        /// The error in the playlist that makes the segment unreadable, or nil for none.
        var unreadable: InputError?

        /// Creates a segment with an address and without attributes.
        init(address: InputAddress, name: String?) {
            self.address = address
            self.name = name
        }

        /// Whether the segment is one of the files of a directory, rather than of a playlist or the only one.
        var isInDirectory: Bool { name != nil && mediaSequence == nil }

        /// The name used in messages.
        var displayName: String { name ?? address.text }
    }

    /// A media initialization segment.
    package struct Initialization: Sendable, Equatable {
        /// The URI in the playlist.
        package let name: String
        /// The location of its bytes.
        package let address: InputAddress
        /// The byte range in the resource, or nil for the whole resource.
        package let byteRange: ByteRange?
        /// The encryption, or nil for none.
        package let encryption: Encryption?
        /// The error in the playlist that makes it unreadable, or nil for none.
        var unreadable: InputError?

        /// Returns whether two sections have the same bytes and key.
        ///
        /// A vector that no key states is that of the first segment that needs the section, and does not count.
        package static func == (section: Initialization, other: Initialization) -> Bool {
            section.address == other.address && section.byteRange == other.byteRange
                && section.encryption?.keyAddress == other.encryption?.keyAddress
                && section.encryption?.statedInitializationVector
                    == other.encryption?.statedInitializationVector
                && section.encryption?.method == other.encryption?.method
        }
    }

    /// The encryption of a segment (RFC 8216, section 4.3.2.4).
    package struct Encryption: Sendable, Hashable {
        /// `AES-128`, or the name of an unsupported method.
        package let method: String
        /// The location of the 16-byte key, or nil if the method is not supported.
        package let keyAddress: InputAddress?
        /// The initialization vector, 16 bytes.
        package let initializationVector: [UInt8]
        /// Whether the key states the vector, which is otherwise the media sequence number.
        var isVectorStated = true

        /// The initialization vector of the key, or nil if it states none.
        fileprivate var statedInitializationVector: [UInt8]? { isVectorStated ? initializationVector : nil }
    }
}

extension Presentation {
    /// The properties of the presentation that the checks need before segments are read.
    package var outline: PresentationOutline {
        PresentationOutline(
            source: source,
            renditions: renditions.map { rendition in
                let first = rendition.segments.first
                return PresentationOutline.Rendition(
                    name: rendition.uri, audioName: rendition.audioURI,
                    firstMediaSequence: first?.mediaSequence, firstDate: first?.programDateTime,
                    hasSegments: first != nil, isLive: rendition.isLive)
            })
    }
}
