/// The four characters that identify the type of a box (ISO/IEC 14496-12, 4.2).
package struct BoxType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The four bytes, in big-endian order.
    package let rawValue: UInt32

    /// Creates a type from its four bytes.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates a type from four ASCII characters.
    package init(_ text: StaticString) {
        precondition(text.utf8CodeUnitCount == 4 && text.isASCII, "a box type has four ASCII characters")
        var value: UInt32 = 0
        for index in 0..<4 {
            // `utf8Start` points to `utf8CodeUnitCount` readable bytes, which the precondition requires to be four.
            value = value << 8 | UInt32(unsafe text.utf8Start[index])
        }
        rawValue = value
    }

    /// The four characters, with `?` for each one that is not printable ASCII.
    package var description: String {
        var text = ""
        for shift in [24, 16, 8, 0] {
            let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(shift))
            text.unicodeScalars.append((0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : "?")
        }
        return text
    }

    /// File type.
    package static let fileType = BoxType("ftyp")
    /// Segment type.
    package static let segmentType = BoxType("styp")
    /// Movie: the initialization segment.
    package static let movie = BoxType("moov")
    /// Movie fragment.
    package static let movieFragment = BoxType("moof")
    /// Media data.
    package static let mediaData = BoxType("mdat")
    /// Segment index.
    package static let segmentIndex = BoxType("sidx")
    /// Event message (ISO/IEC 23009-1, 5.10.3.3).
    package static let eventMessage = BoxType("emsg")
    /// Track.
    package static let track = BoxType("trak")
    /// Track header.
    package static let trackHeader = BoxType("tkhd")
    /// Media of a track.
    package static let media = BoxType("mdia")
    /// Media header.
    package static let mediaHeader = BoxType("mdhd")
    /// Handler of a track or of metadata.
    package static let handler = BoxType("hdlr")
    /// Movie extends: the defaults that fragments inherit.
    package static let movieExtends = BoxType("mvex")
    /// Track extends.
    package static let trackExtends = BoxType("trex")
    /// Track fragment.
    package static let trackFragment = BoxType("traf")
    /// Track fragment header.
    package static let trackFragmentHeader = BoxType("tfhd")
    /// Track fragment decode time.
    package static let trackFragmentDecodeTime = BoxType("tfdt")
    /// Track run.
    package static let trackRun = BoxType("trun")
    /// Metadata.
    package static let metadata = BoxType("meta")
    /// User data.
    package static let userData = BoxType("udta")
    /// An ID3v2 tag (mp4ra.org; ID3v2 in MPEG-4).
    package static let id3v2 = BoxType("ID32")
    /// A box whose type is a UUID.
    package static let universallyUnique = BoxType("uuid")
}
