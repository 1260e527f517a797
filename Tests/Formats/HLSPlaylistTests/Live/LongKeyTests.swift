import HLSPlaylist
import Testing

/// Playlists whose segments share keys with texts of 64 kB, made by EXT-X-DEFINE.
@Suite struct LongKeyTests {
    /// Returns the lines of a playlist with 16 key formats of 64 kB each and `count` segments after them.
    private static func playlist(_ count: Int, keyURI: String = "k", before position: Int = 0) throws
        -> MediaPlaylist
    {
        var lines = ["#EXT-X-DEFINE:NAME=\"x\",VALUE=\"\(String(repeating: "x", count: 65_000))\""]
        for format in 0..<16 {
            lines.append("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"\(format)\",KEYFORMAT=\"\(format){$x}\"")
        }
        for segment in 0..<count {
            if segment == position {
                lines.append("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"\(keyURI)\",KEYFORMAT=\"0{$x}\"")
            }
            lines += ["#EXTINF:6,", "\(segment).ts"]
        }
        let text = (["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines).joined(separator: "\n")
        guard case .media(let media) = try Playlist(parsing: Array(text.utf8).span) else { throw WrongKind() }
        return media
    }

    /// The hash of a segment costs the same with any keys.
    @Test func hashOfSegment_readsNoKey() throws {
        let keys = (0..<16).map { EncryptionKey(method: .sampleAES, uri: nil, keyFormat: "\($0)") }
        let map = InitializationSection(uri: "init.mp4")
        for segment in [
            MediaSegment(uri: "a", duration: 6, mediaSequence: 1, keys: keys, map: map),
            MediaSegment(uri: "a", duration: 6, mediaSequence: 1),
        ] {
            #expect(segment.hashValue == MediaSegment(uri: "a", duration: 6, mediaSequence: 1).hashValue)
        }
        #expect(map.hashValue == InitializationSection(uri: "init.mp4", keys: keys).hashValue)
    }

    /// The keys count once for each declaration, and where they are declared counts too.
    @Test func hashOfPlaylist_changesWithAKey_itsPlace_andAnInitializationSegment() throws {
        let same = try Self.playlist(4)
        #expect(try same.hashValue == Self.playlist(4).hashValue)
        for other in [try Self.playlist(4, keyURI: "l"), try Self.playlist(4, before: 1)] {
            #expect(other.hashValue != same.hashValue && other != same)
        }
        let maps = try ["a", "b"].map { try mediaPlaylist("#EXT-X-MAP:URI=\"\($0)\"", "#EXTINF:6,", "s") }
        #expect(maps[0].hashValue != maps[1].hashValue)
    }

    /// A new key alone is a change, so the next load is a target duration later (RFC 8216, 6.3.4).
    @Test func follower_seesAnotherKeyAsAChange() throws {
        var follower = PlaylistFollower()
        let (one, other) = (try Self.playlist(3), try Self.playlist(3, keyURI: "l"))
        _ = follower.observe(.playlist(one), at: .zero)
        #expect(follower.observe(.playlist(one), at: .seconds(6)).reloadDelay == .seconds(3))
        #expect(follower.observe(.playlist(other), at: .seconds(9)).reloadDelay == .seconds(6))
    }
}
