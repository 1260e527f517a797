import Testing

@testable import HLSPlaylist

@Suite struct PlaylistTests {
    @Test(arguments: ["", "\n\n", "\u{FEFF}", "  \r\n\t\n"])
    func blankText_throwsEmpty(text: String) {
        #expect(throws: PlaylistError.empty) { try Playlist(parsing: Array(text.utf8).span) }
    }

    @Test(arguments: [
        ("<html>\n#EXTM3U\n", 1, 0), ("\n\n<!DOCTYPE html>", 3, 2), ("{\"error\":404}", 1, 0),
        ("# comment\nseg1.ts\n#EXTINF:1,\n", 2, 10), ("seg1.ts", 1, 0), ("# comment", 1, 0),
    ])
    func nonPlaylistText_isRefusedWithItsLineNumber(text: String, line: Int, offset: Int) throws {
        let error = try #require(throws: PlaylistError.self) { try Playlist(parsing: Array(text.utf8).span) }
        guard case .notPlaylist(line, offset, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.line == line)
    }

    /// A refused text of any length and encoding is quoted only in part.
    @Test func refusal_quotesAtMostEightyBytes() throws {
        let bytes = [UInt8](repeating: 0x41, count: 100_000)
        let error = try #require(throws: PlaylistError.self) { try Playlist(parsing: bytes.span) }
        #expect(error == .notPlaylist(line: 1, offset: 0, text: String(repeating: "A", count: 80)))
    }

    @Test(arguments: ["\n", "\r\n", "\r\n\r\n", " \t\n"], ["", "\u{FEFF}"])
    func lineEndingsAndByteOrderMark_areAccepted(end: String, mark: String) throws {
        let text =
            mark + ["#EXTM3U", "#EXT-X-TARGETDURATION:6", "#EXTINF:5.5,Title", "a.ts"].joined(separator: end)
        guard case .media(let playlist) = try Playlist(parsing: Array(text.utf8).span) else {
            throw WrongKind()
        }
        #expect(playlist.problems.isEmpty)
        #expect(playlist.segments.map(\.uri) == ["a.ts"])
        #expect(playlist.segments.map(\.duration) == [5.5])
        #expect(playlist.segments.map(\.title) == ["Title"])
    }

    @Test func missingHeader_isOnlyReported() throws {
        let playlist = try Playlist(parsing: Array("#EXT-X-TARGETDURATION:6\n#EXTINF:1,\na".utf8).span)
        #expect(playlist.problems.first.map(\.rule) == [.missingHeader])
        #expect(playlist.problems.first.map(\.line) == [1])
    }

    @Test func problems_aboveTheListLimit_areCounted() throws {
        let lines = Array(repeating: "#EXTINF:x,\na.ts", count: 1_000).joined(separator: "\n")
        let playlist = try mediaPlaylist(lines)
        #expect(playlist.segments.count == 1_000)
        #expect(playlist.problems.count == 2_000)
        #expect(playlist.problems.first.count == PlaylistProblems.maximumListed)
        #expect(playlist.segments.allSatisfy { $0.duration == 6 })
    }

    /// Replaces every byte of a small playlist with every value: the text is read or refused, and never causes a trap.
    @Test func playlist_withAnyByteReplaced_isReadOrRefused() {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:4
            #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x1F
            #EXT-X-PROGRAM-DATE-TIME:2020-02-29T23:59:59.9995+01:30
            #EXTINF:5.005,
            #EXT-X-BYTERANGE:9@1
            {$a}.ts
            """
        let bytes = Array(text.utf8)
        var readCount = 0
        for index in bytes.indices {
            for value in UInt8.min...UInt8.max {
                var damaged = bytes
                damaged[index] = value
                if let playlist = try? Playlist(parsing: damaged.span), case .media(let media) = playlist {
                    readCount += media.segments.isEmpty ? 0 : 1
                }
            }
        }
        #expect(readCount > bytes.count * 200)
    }

    @Test func playlist_withTagsOfBothKinds_hasTheKindOfTheFirst() throws {
        let media = try mediaPlaylist("#EXTINF:1,", "a.ts", "#EXT-X-STREAM-INF:BANDWIDTH=1", "b.m3u8")
        #expect(media.segments.map(\.uri) == ["a.ts", "b.m3u8"])
        #expect(media.problems.first.map(\.rule) == [.mixedKinds, .missingDuration])
    }

    @Test func keyFormats_ofASegment_areLimited() throws {
        let lines = (0..<1_000).map { "#EXT-X-KEY:METHOD=X,URI=\"k\",KEYFORMAT=\"\($0)\"\n#EXTINF:1,\na" }
        let playlist = try mediaPlaylist(lines.joined(separator: "\n"))
        #expect(playlist.segments.count == 1_000)
        #expect(playlist.segments.last?.keys.count == 16)
        #expect(playlist.problems.count == 984)
    }

    @Test func largePlaylist_isReadCompletely() throws {
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n"
            + (0...40_000).map { "#EXTINF:3.760000,\nsegment_\($0)_of_the_stream.ts\n" }.joined()
        let bytes = Array(text.utf8)
        guard case .media(let playlist) = try Playlist(parsing: bytes.span) else { throw WrongKind() }
        #expect(playlist.segments.count == 40_001)
        #expect(playlist.segments.last?.mediaSequence == 40_000)
        #expect(playlist.problems.isEmpty)
        #expect(abs(playlist.segments.reduce(0) { $0 + $1.duration } - 40_001 * 3.76) < 1e-3)
    }
}
