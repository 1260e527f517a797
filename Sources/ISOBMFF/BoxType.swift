/// The four characters that say what a box is (ISO/IEC 14496-12, 4.2).
public struct BoxType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The four bytes, the first one the most significant.
    public let rawValue: UInt32

    /// The type with these four bytes.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The type with these four characters, which are ASCII.
    public init(_ text: StaticString) {
        precondition(text.utf8CodeUnitCount == 4 && text.isASCII, "a box type has four ASCII characters")
        var value: UInt32 = 0
        for index in 0..<4 {
            // A StaticString has as many readable bytes at `utf8Start` as it counts, and these are four.
            value = value << 8 | UInt32(unsafe text.utf8Start[index])
        }
        rawValue = value
    }

    /// The four characters, each that is no printable ASCII as `?`.
    public var description: String {
        var text = ""
        for shift in [24, 16, 8, 0] {
            let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(shift))
            text.unicodeScalars.append((0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : "?")
        }
        return text
    }

    /// File type.
    public static let fileType = BoxType("ftyp")
    /// Segment type.
    public static let segmentType = BoxType("styp")
    /// Movie: the initialisation section.
    public static let movie = BoxType("moov")
    /// Movie fragment.
    public static let movieFragment = BoxType("moof")
    /// Media data.
    public static let mediaData = BoxType("mdat")
    /// Segment index.
    public static let segmentIndex = BoxType("sidx")
    /// Event message (ISO/IEC 23009-1, 5.10.3.3).
    public static let eventMessage = BoxType("emsg")
    /// Track.
    public static let track = BoxType("trak")
    /// Track header.
    public static let trackHeader = BoxType("tkhd")
    /// Media of a track.
    public static let media = BoxType("mdia")
    /// Media header.
    public static let mediaHeader = BoxType("mdhd")
    /// Handler of a track or of metadata.
    public static let handler = BoxType("hdlr")
    /// Movie extends: what fragments inherit.
    public static let movieExtends = BoxType("mvex")
    /// Track extends.
    public static let trackExtends = BoxType("trex")
    /// Track fragment.
    public static let trackFragment = BoxType("traf")
    /// Track fragment header.
    public static let trackFragmentHeader = BoxType("tfhd")
    /// Track fragment decode time.
    public static let trackFragmentDecodeTime = BoxType("tfdt")
    /// Track run.
    public static let trackRun = BoxType("trun")
    /// Metadata.
    public static let metadata = BoxType("meta")
    /// User data.
    public static let userData = BoxType("udta")
    /// An ID3v2 tag (mp4ra.org; ID3v2 in MPEG-4).
    public static let id3v2 = BoxType("ID32")
    /// A box whose type is a UUID.
    public static let universallyUnique = BoxType("uuid")
}
