import HLSPlaylist
import Testing

@Suite(.timeLimit(.minutes(30))) struct PlaylistLimitTests {
    private func playlist(_ lines: [String]) throws -> Playlist {
        try Playlist(parsing: Array((["#EXTM3U"] + lines).joined(separator: "\n").utf8).span)
    }

    private static let segment = ["#EXTINF:1,", "a.ts"]

    /// Returns the lines of one entry of the list with this limit.
    private static func lines(of limit: PlaylistLimit, _ index: Int) -> [String] {
        switch limit {
        case .segments: segment
        case .parts: ["#EXT-X-PART:DURATION=1,URI=\"p\""]
        case .preloadHints: ["#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"p\""]
        case .keyFormats: ["#EXT-X-KEY:METHOD=X,URI=\"k\",KEYFORMAT=\"\(index)\""]
        case .dateRanges: ["#EXT-X-DATERANGE:ID=\"\(index)\",SCTE35-OUT=0x00"]
        case .variants: ["#EXT-X-STREAM-INF:BANDWIDTH=1", "v\(index)"]
        case .iFrameVariants: ["#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i\""]
        case .renditions: ["#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"n\",URI=\"\(index)\""]
        case .sessionData: ["#EXT-X-SESSION-DATA:DATA-ID=\"d\",VALUE=\"v\""]
        case .sessionKeys: ["#EXT-X-SESSION-KEY:METHOD=X,URI=\"k\""]
        case .variables: ["#EXT-X-DEFINE:NAME=\"v\(index)\",VALUE=\"x\""]
        case .replacedText, .addressBytes, .attributeBytes: []
        }
    }

    private static func isOfMultivariant(_ limit: PlaylistLimit) -> Bool {
        switch limit {
        case .variants, .iFrameVariants, .renditions, .sessionData, .sessionKeys: true
        default: false
        }
    }

    /// No list exceeds its limit, the limit is reported once, and the rest of the playlist is still read.
    @Test(arguments: PlaylistLimit.allCases.filter { !lines(of: $0, 0).isEmpty })
    func list_aboveItsLimit_isTruncatedAndReported(limit: PlaylistLimit) throws {
        let isMultivariant = Self.isOfMultivariant(limit)
        let first = isMultivariant ? ["#EXT-X-STREAM-INF:BANDWIDTH=1", "v"] : ["#EXT-X-TARGETDURATION:1"]
        let last = limit == .segments ? [] : Self.segment
        for excess in [0, 5] {
            let isOver = excess > 0
            let count = limit.maximum + excess - (limit == .variants ? 1 : 0)
            let entries = (0..<count).flatMap { Self.lines(of: limit, $0) }
            let read = try playlist(first + entries + (isMultivariant ? [] : last))
            #expect(read.problems.exceededLimits == (isOver ? [limit] : []), "\(excess) more")
            switch read {
            case .media(let playlist):
                #expect(playlist.segments.count == (limit == .segments ? limit.maximum : 1))
                if limit == .parts { #expect(playlist.parts.count == limit.maximum) }
                if limit == .variables { #expect(playlist.variables.count == limit.maximum) }
            case .multivariant(let playlist):
                #expect(playlist.variants.count == (limit == .variants ? limit.maximum : 1))
                if limit == .renditions { #expect(playlist.renditions.count == limit.maximum) }
            }
        }
    }

    /// An address that is too long is not requested, and needs no more memory than one within the limit.
    @Test func uri_thatIsTooLong_isTruncatedAndReported() throws {
        let maximum = PlaylistLimit.addressBytes.maximum
        for excess in [0, 1, 100_000] {
            let long = String(repeating: "x", count: maximum + excess)
            let playlist = try playlist([
                "#EXT-X-MAP:URI=\"\(long)\"", "#EXT-X-KEY:METHOD=AES-128,URI=\"\(long)\"", "#EXTINF:1,", long,
                "#EXTINF:1,", "b.ts",
            ])
            #expect(playlist.problems.exceededLimits == (excess > 0 ? [.addressBytes] : []))
            guard case .media(let media) = playlist else { continue }
            let byteCount = maximum + min(1, excess)
            let first = try #require(media.segments.first)
            #expect(first.uri.utf8.count == byteCount && first.map?.uri.utf8.count == byteCount)
            #expect(first.key?.uri?.utf8.count == byteCount)
            #expect(media.segments.map(\.mediaSequence) == [0, 1] && media.segments[1].uri == "b.ts")
        }
    }

    /// Each attribute that is kept from load to load.
    @Test(arguments: [
        "#EXT-X-KEY:METHOD=%,URI=\"k\"", "#EXT-X-KEY:METHOD=X,URI=\"k\",KEYFORMAT=\"%\"",
        "#EXT-X-KEY:METHOD=X,URI=\"k\",KEYFORMAT=\"y\",KEYFORMATVERSIONS=\"%\"",
        "#EXT-X-DATERANGE:ID=\"%\",SCTE35-OUT=0x00",
    ])
    func attribute_thatIsTooLong_isTruncatedAndReported(line: String) throws {
        let maximum = PlaylistLimit.attributeBytes.maximum
        for excess in [0, 1, 100_000] {
            let text = String(repeating: "x", count: maximum + excess)
            let read = try playlist([line.replacing("%", with: text)] + Self.segment)
            #expect(read.problems.exceededLimits == (excess > 0 ? [.attributeBytes] : []))
            guard case .media(let media) = read else { continue }
            var follower = PlaylistFollower()
            _ = follower.observe(.playlist(media), at: .zero)
            #expect(follower.rememberedByteCount < maximum + 1_000, "\(follower.rememberedByteCount)")
            #expect(media.segments.count == 1)
        }
    }

    /// The limits that users may rely on.
    @Test func limits_areHighEnoughForRealPlaylists() {
        #expect(PlaylistLimit.segments.maximum >= 131_072)
        #expect(PlaylistLimit.dateRanges.maximum >= 10_000)
        #expect(PlaylistLimit.variants.maximum >= 1_000 && PlaylistLimit.renditions.maximum >= 1_000)
        #expect(Set(PlaylistLimit.allCases.map(\.rawValue)).count == PlaylistLimit.allCases.count)
    }

    // MARK: EXT-X-DEFINE

    /// Returns the number of bytes of all texts that are kept of a playlist.
    private func textByteCount(_ playlist: Playlist) -> Int {
        switch playlist {
        case .media(let playlist):
            playlist.segments.reduce(0) { $0 + $1.uri.utf8.count + $1.title.utf8.count }
                + playlist.parts.reduce(0) { $0 + $1.uri.utf8.count }
                + playlist.variables.reduce(0) { $0 + $1.value.utf8.count }
        case .multivariant(let playlist):
            playlist.variants.reduce(0) { $0 + $1.uri.utf8.count + ($1.name?.utf8.count ?? 0) }
                + playlist.renditions.reduce(0) { $0 + ($1.uri?.utf8.count ?? 0) + $1.name.utf8.count }
                + playlist.variables.reduce(0) { $0 + $1.value.utf8.count }
        }
    }

    /// Variables that double each other, in each place where a reference is replaced.
    @Test(arguments: [
        ["#EXTINF:1,", "{$v15}"], ["#EXT-X-PART:DURATION=1,URI=\"{$v15}\""],
        ["#EXT-X-STREAM-INF:BANDWIDTH=1,NAME=\"{$v15}\"", "{$v15}"],
        ["#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"{$v15}\",NAME=\"{$v15}\",URI=\"{$v15}\""],
        ["#EXT-X-DEFINE:NAME=\"w%\",VALUE=\"{$v15}\""],
    ])
    func nestedVariables_growOnlyToTheirLimit(lines: [String]) throws {
        var text = ["#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"ab\""]
        for index in 1...15 {
            text.append("#EXT-X-DEFINE:NAME=\"v\(index)\",VALUE=\"{$v\(index - 1)}{$v\(index - 1)}\"")
        }
        for index in 0..<1_500 { text += lines.map { $0.replacing("%", with: "\(index)") } }
        let read = try playlist(text)
        #expect(textByteCount(read) < PlaylistLimit.replacedText.maximum + (1 << 20))
        #expect(read.problems.exceededLimits.contains(.replacedText))
    }

    /// A long variable of the multivariant playlist that each segment of a rendition imports.
    @Test func importedVariable_growsOnlyToItsLimit() throws {
        let value = String(repeating: "x", count: 60_000)
        var lines = ["#EXT-X-DEFINE:IMPORT=\"long\""]
        for _ in 0..<20_000 { lines += ["#EXTINF:1,", "{$long}.ts"] }
        let bytes = Array((["#EXTM3U"] + lines).joined(separator: "\n").utf8)
        let read = try Playlist(parsing: bytes.span, importing: ["long": value])
        #expect(textByteCount(read) < PlaylistLimit.replacedText.maximum + (1 << 20))
        #expect(read.problems.exceededLimits == [.addressBytes, .replacedText])
        guard case .media(let playlist) = read else { return }
        #expect(playlist.segments.count == 20_000)
        #expect(playlist.segments[0].uri == value.prefix(PlaylistLimit.addressBytes.maximum + 1))
    }

    // MARK: Date ranges

    /// Each of ten thousand breaks marks its own segment, in any order of the tags.
    @Test func dateRanges_upToTheLimit_markTheirSegments() throws {
        let count = PlaylistLimit.dateRanges.maximum
        var lines: [String] = []
        func date(_ seconds: Int) -> String {
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return
                "2026-01-\(two(1 + seconds / 86_400))T\(two(seconds / 3_600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))Z"
        }
        for index in (0..<count).reversed() {
            lines.append(
                "#EXT-X-DATERANGE:ID=\"\(index)\",SCTE35-OUT=0x00,START-DATE=\"\(date(20 * index))\",DURATION=10"
            )
        }
        lines.append("#EXT-X-PROGRAM-DATE-TIME:\(date(0))")
        for _ in 0..<2 * count { lines += ["#EXTINF:10,", "a.ts"] }
        guard case .media(let playlist) = try playlist(lines) else { return }
        #expect(playlist.segments.count == 2 * count)
        let marked = playlist.segments.indices.filter { playlist.segments[$0].isInBreak }
        #expect(marked.count == count && marked.allSatisfy { $0.isMultiple(of: 2) })
    }
}
