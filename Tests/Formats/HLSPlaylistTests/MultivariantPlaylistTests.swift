import HLSPlaylist
import Testing

@Suite struct MultivariantPlaylistTests {
    @Test func variant_withAllAttributes_isReadCompletely() throws {
        let playlist = try multivariantPlaylist(
            "#EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=1000000,CODECS=\"avc1.4d401e, mp4a.40.2\","
                + "RESOLUTION=640x360,FRAME-RATE=29.97,AUDIO=\"a\",VIDEO=\"v\",SUBTITLES=\"s\",NAME=\"n,=\"",
            "low.m3u8")
        let variant = try #require(playlist.variants.first)
        #expect(variant.uri == "low.m3u8" && variant.bandwidth == 1_280_000)
        #expect(variant.averageBandwidth == 1_000_000)
        #expect(variant.codecs == ["avc1.4d401e", "mp4a.40.2"])
        #expect(variant.resolution?.width == 640 && variant.resolution?.height == 360)
        #expect(variant.frameRate == 29.97)
        #expect(variant.audioGroupID == "a" && variant.videoGroupID == "v" && variant.subtitlesGroupID == "s")
        #expect(variant.name == "n,=")
        #expect(playlist.problems.isEmpty)
    }

    @Test func lowestAndHighestVariant_ofEqualBandwidth_isTheFirst() throws {
        let playlist = try multivariantPlaylist(
            "#EXT-X-STREAM-INF:CODECS=\"x\"", "none", "#EXT-X-STREAM-INF:BANDWIDTH=2", "b",
            "#EXT-X-STREAM-INF:BANDWIDTH=1", "c", "#EXT-X-STREAM-INF:BANDWIDTH=1", "d",
            "#EXT-X-STREAM-INF:BANDWIDTH=2", "e")
        #expect(playlist.lowestBandwidthVariant?.uri == "c")
        #expect(playlist.highestBandwidthVariant?.uri == "b")
        #expect(playlist.problems.first.map(\.rule) == [.missingAttribute])
        #expect(MultivariantPlaylist().lowestBandwidthVariant == nil)
        #expect(MultivariantPlaylist().highestBandwidthVariant == nil)
    }

    /// DEFAULT has precedence over AUTOSELECT, which has precedence over the order.
    ///
    /// The group and the type must be those of the variant.
    @Test(arguments: [
        (["", "", ""], "0"), (["", "AUTOSELECT=YES", ""], "1"), (["", "AUTOSELECT=YES", "DEFAULT=YES"], "2"),
        (["DEFAULT=NO", "AUTOSELECT=NO", "AUTOSELECT=YES"], "2"),
    ])
    func defaultAudio_inItsGroup_isChosenByPrecedence(attributes: [String], expected: String) throws {
        var lines = ["#EXTM3U"]
        lines.append("#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"other\",NAME=\"x\",DEFAULT=YES,URI=\"x\"")
        lines.append("#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"g\",NAME=\"y\",DEFAULT=YES,URI=\"y\"")
        for (index, attribute) in attributes.enumerated() {
            lines.append("#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"n\",URI=\"\(index)\",\(attribute)")
        }
        lines += ["#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"g\"", "v", "#EXT-X-STREAM-INF:BANDWIDTH=1", "w"]
        let read = try Playlist(parsing: Array(lines.joined(separator: "\n").utf8).span)
        guard case .multivariant(let playlist) = read else { throw WrongKind() }
        #expect(playlist.defaultAudioByGroup()["g"]?.uri == expected)
        #expect(playlist.defaultAudioByGroup()["y"] == nil)
        #expect(playlist.problems.isEmpty)
    }

    @Test func tags_ofAllKinds_areRead() throws {
        let playlist = try multivariantPlaylist(
            "#EXT-X-VERSION:7", "#EXT-X-DEFINE:NAME=\"p\",VALUE=\"x\"",
            "#EXT-X-SESSION-DATA:DATA-ID=\"com.example.title\",LANGUAGE=\"en\",VALUE=\"a, b\"",
            "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\"",
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"en\",LANGUAGE=\"en\",CHANNELS=\"2\"",
            "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=5,URI=\"{$p}/i.m3u8\"", "#EXT-X-STREAM-INF:BANDWIDTH=9",
            "{$p}/v.m3u8")
        #expect(playlist.version == 7)
        #expect(playlist.variables == ["p": "x"])
        #expect(playlist.sessionData.map(\.value) == ["a, b"])
        #expect(playlist.sessionKeys.map(\.uri) == ["k"])
        #expect(playlist.renditions.map(\.uri) == [nil])
        #expect(playlist.renditions.map(\.language) == ["en"])
        #expect(playlist.iFrameVariants.map(\.uri) == ["x/i.m3u8"])
        #expect(playlist.variants.map(\.uri) == ["x/v.m3u8"])
        #expect(playlist.problems.isEmpty)
    }

    @Test(
        arguments: [
            ("BANDWIDTH=1,AUDIO=\"open", .malformedAttributes),
            ("BANDWIDTH=1,JUNK,NAME=\"x\"", .malformedAttributes),
            ("BANDWIDTH=x", .unreadableNumber), ("BANDWIDTH=1,RESOLUTION=640", .unreadableAttribute),
            ("NAME=\"x\"", .missingAttribute),
        ] as [(String, PlaylistProblem.Rule)])
    func variant_withDamagedAttributes_isReadAndReported(attributes: String, rule: PlaylistProblem.Rule)
        throws
    {
        let playlist = try multivariantPlaylist("#EXT-X-STREAM-INF:\(attributes)", "v.m3u8")
        #expect(playlist.variants.map(\.uri) == ["v.m3u8"])
        #expect(playlist.problems.first.map(\.rule) == [rule])
    }

    /// Some packagers write the tags of a media playlist in front.
    @Test func multivariantPlaylist_withMediaTagsInFront_isMultivariant() throws {
        let playlist = try multivariantPlaylist(
            "#EXT-X-TARGETDURATION:15", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-DISCONTINUITY",
            "#EXT-X-STREAM-INF:BANDWIDTH=600000", "v.m3u8", "#EXT-X-ENDLIST")
        #expect(playlist.variants.map(\.uri) == ["v.m3u8"])
        #expect(playlist.problems.first.map(\.rule) == Array(repeating: .misplacedTag, count: 4))
    }

    @Test func playlist_withSegmentsAndVariants_isNamedAsAMixture() throws {
        let variant = ["#EXT-X-STREAM-INF:BANDWIDTH=1", "v.m3u8"]
        let segment = ["#EXTINF:6,", "0.ts"]
        let media = try Playlist(
            parsing: Array((["#EXTM3U"] + segment + variant).joined(separator: "\n").utf8).span)
        guard case .media(let playlist) = media else { throw WrongKind() }
        #expect(playlist.segments.first?.uri == "0.ts")
        #expect(media.problems.first.contains { $0.rule == .mixedKinds })
        let other = try Playlist(
            parsing: Array((["#EXTM3U"] + variant + segment).joined(separator: "\n").utf8).span)
        guard case .multivariant(let playlist) = other else { throw WrongKind() }
        #expect(playlist.variants.map(\.uri) == ["v.m3u8"])
        #expect(other.problems.first.contains { $0.rule == .mixedKinds })
    }
}
