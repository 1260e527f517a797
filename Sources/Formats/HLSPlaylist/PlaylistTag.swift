import ByteReading

/// The tags that are read, by the names of RFC 8216, 4.3 and of its second edition, 4.4; those of advertisement breaks
/// that begin with EXT-X-CUE are of no standard.
///
/// Tags of other names are comments for us.
enum PlaylistTag: CaseIterable {
    // In the order of how often they stand in a playlist, which is the order they are looked for.
    case segment
    case programDateTime
    case byteRange
    case part
    case discontinuity
    case gap
    case key
    case map
    case streamInformation
    case media
    case iFrameStreamInformation
    case header
    case version
    case targetDuration
    case mediaSequence
    case discontinuitySequence
    case playlistType
    case endList
    case iFramesOnly
    case define
    case partInformation
    case serverControl
    case preloadHint
    case skip
    case cueOut
    case cueOutContinuation
    case cueIn
    case dateRange
    case sessionData
    case sessionKey

    var name: StaticString {
        switch self {
        case .segment: "#EXTINF"
        case .programDateTime: "#EXT-X-PROGRAM-DATE-TIME"
        case .byteRange: "#EXT-X-BYTERANGE"
        case .part: "#EXT-X-PART"
        case .discontinuity: "#EXT-X-DISCONTINUITY"
        case .gap: "#EXT-X-GAP"
        case .key: "#EXT-X-KEY"
        case .map: "#EXT-X-MAP"
        case .streamInformation: "#EXT-X-STREAM-INF"
        case .media: "#EXT-X-MEDIA"
        case .iFrameStreamInformation: "#EXT-X-I-FRAME-STREAM-INF"
        case .header: "#EXTM3U"
        case .version: "#EXT-X-VERSION"
        case .targetDuration: "#EXT-X-TARGETDURATION"
        case .mediaSequence: "#EXT-X-MEDIA-SEQUENCE"
        case .discontinuitySequence: "#EXT-X-DISCONTINUITY-SEQUENCE"
        case .playlistType: "#EXT-X-PLAYLIST-TYPE"
        case .endList: "#EXT-X-ENDLIST"
        case .iFramesOnly: "#EXT-X-I-FRAMES-ONLY"
        case .define: "#EXT-X-DEFINE"
        case .partInformation: "#EXT-X-PART-INF"
        case .serverControl: "#EXT-X-SERVER-CONTROL"
        case .preloadHint: "#EXT-X-PRELOAD-HINT"
        case .skip: "#EXT-X-SKIP"
        case .cueOut: "#EXT-X-CUE-OUT"
        case .cueOutContinuation: "#EXT-X-CUE-OUT-CONT"
        case .cueIn: "#EXT-X-CUE-IN"
        case .dateRange: "#EXT-X-DATERANGE"
        case .sessionData: "#EXT-X-SESSION-DATA"
        case .sessionKey: "#EXT-X-SESSION-KEY"
        }
    }

    /// Which kind of playlist only may have the tag; nil where both may.
    var kind: PlaylistKind? {
        switch self {
        case .streamInformation, .media, .iFrameStreamInformation, .sessionData, .sessionKey: .multivariant
        case .header, .version, .define: nil
        default: .media
        }
    }

    /// The tag of a line, and where its value lies; nil for a comment, a URI and a tag that is not read.
    static func read(_ line: Range<Int>, in bytes: Span<UInt8>) -> (tag: PlaylistTag, value: Range<Int>)? {
        guard bytes[line.lowerBound] == 0x23 else { return nil }
        // A value follows a colon; `#EXTM3U` and its like have none, and some write a blank for the colon.
        var end = line.lowerBound
        while end < line.upperBound, bytes[end] != 0x3A, bytes[end] != 0x20 { end += 1 }
        let name = line.lowerBound..<end
        let value = bytes.trimmed(min(end + 1, line.upperBound)..<line.upperBound)
        for tag in allCases where bytes.isASCII(tag.name, in: name) { return (tag, value) }
        return nil
    }
}

/// The two kinds of playlist (RFC 8216, section 4).
enum PlaylistKind {
    case media
    case multivariant

    /// The kind of a playlist: that of the first tag that only one of them may have, and media without any.
    init(telling bytes: Span<UInt8>) throws(PlaylistError) {
        var lines = PlaylistLines(of: bytes)
        guard var first = lines.next(in: bytes) else { throw .empty }
        // Without its header a playlist is still one if it begins with a tag of one, comments before it or
        // not; a page of HTML does not.
        while !bytes.hasASCII("#EXT", at: first.lowerBound) {
            guard bytes[first.lowerBound] == 0x23, let next = lines.next(in: bytes) else {
                throw .notPlaylist(
                    line: lines.number, offset: first.lowerBound, text: bytes.excerpt(first))
            }
            first = next
        }
        var line: Range<Int>? = first
        while let present = line {
            if let kind = PlaylistTag.read(present, in: bytes)?.tag.kind {
                self = kind
                return
            }
            line = lines.next(in: bytes)
        }
        self = .media
    }
}

extension Span<UInt8> {
    /// How the range begins, for a reader's eye: at most 80 bytes, what is not UTF-8 replaced.
    func excerpt(_ range: Range<Int>) -> String {
        let end = Swift.min(range.upperBound, range.lowerBound + 80)
        return String(decoding: copy(range.lowerBound..<end), as: UTF8.self)
    }
}
