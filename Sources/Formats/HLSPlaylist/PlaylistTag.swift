import ByteReading

/// The supported tags, by their names in RFC 8216, 4.3 and its second edition, 4.4.
///
/// The tags of advertisement breaks that begin with EXT-X-CUE are not standardized. All other tags are treated as
/// comments.
enum PlaylistTag: CaseIterable {
    // Ordered by frequency in playlists, because lookup is linear.
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

    /// The only kind of playlist that may contain the tag; nil if both may.
    var kind: PlaylistKind? {
        switch self {
        case .streamInformation, .media, .iFrameStreamInformation, .sessionData, .sessionKey: .multivariant
        case .header, .version, .define: nil
        default: .media
        }
    }

    /// Returns the tag of a line and the position of its value; nil for a comment, a URI or an unknown tag.
    static func read(_ line: Range<Int>, in bytes: Span<UInt8>) -> (tag: PlaylistTag, value: Range<Int>)? {
        guard bytes[line.lowerBound] == 0x23 else { return nil }
        // A colon separates the value; `#EXTM3U` and similar tags have no value, and some writers use a blank instead.
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

    /// Determines the kind from the first EXTINF or EXT-X-STREAM-INF; without one, from the first tag that only one
    /// kind permits; without any it is media.
    ///
    /// Some multivariant playlists begin with the tags of a media playlist.
    init(telling bytes: Span<UInt8>) throws(PlaylistError) {
        var lines = PlaylistLines(of: bytes)
        guard var first = lines.next(in: bytes) else { throw .empty }
        // A playlist without its header is accepted if it begins with a playlist tag, after optional comments. An HTML
        // page does not.
        while !bytes.hasASCII("#EXT", at: first.lowerBound) {
            guard bytes[first.lowerBound] == 0x23, let next = lines.next(in: bytes) else {
                throw .notPlaylist(
                    line: lines.number, offset: first.lowerBound, text: bytes.excerpt(first))
            }
            first = next
        }
        var line: Range<Int>? = first
        var firstKind: PlaylistKind?
        while let present = line {
            let tag = PlaylistTag.read(present, in: bytes)?.tag
            if let kind = tag?.kind {
                if firstKind == nil { firstKind = kind }
                if tag == .segment || tag == .streamInformation {
                    self = kind
                    return
                }
            }
            line = lines.next(in: bytes)
        }
        self = firstKind ?? .media
    }
}

extension Span<UInt8> {
    /// Returns the start of the range for display: at most 80 bytes, with invalid UTF-8 replaced.
    func excerpt(_ range: Range<Int>) -> String {
        let end = Swift.min(range.upperBound, range.lowerBound + 80)
        return String(decoding: copy(range.lowerBound..<end), as: UTF8.self)
    }
}
