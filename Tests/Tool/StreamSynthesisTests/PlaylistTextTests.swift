import Testing

@testable import StreamSynthesis

struct PlaylistTextTests {
    @Test func mediaPlaylist_ofTwoSegments_followsRFC8216() {
        let text = PlaylistText.media(
            [
                .init(ticks: 576_000, uri: "seg00000.m4s", programDateTime: 1_795_176_000_007),
                .init(ticks: 1920, uri: "seg00001.m4s", programDateTime: nil),
            ], initialization: "init.mp4")
        #expect(
            text == """
                #EXTM3U
                #EXT-X-VERSION:6
                \(PlaylistText.mark)
                #EXT-X-TARGETDURATION:6
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MAP:URI="init.mp4"
                #EXT-X-PROGRAM-DATE-TIME:2026-11-20T12:00:00.007Z
                #EXTINF:6.400000,
                seg00000.m4s
                #EXTINF:0.021333,
                seg00001.m4s
                #EXT-X-ENDLIST

                """)
    }

    @Test func multivariant_ofTheDemonstration_hasVariantsAndAnAudioGroup() {
        #expect(
            PlaylistText.multivariant(SynthesisSettings().renditions) == """
                #EXTM3U
                #EXT-X-VERSION:6
                \(PlaylistText.mark)
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="audio",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1",\
                URI="audio/index.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=249500,CODECS="avc1.4D401E,mp4a.40.2",RESOLUTION=640x360,\
                FRAME-RATE=25.000,AUDIO="audio"
                v360/index.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=374500,CODECS="avc1.4D401F,mp4a.40.2",RESOLUTION=960x540,\
                FRAME-RATE=25.000,AUDIO="audio"
                v540/index.m3u8

                """)
    }

    @Test func multivariant_ofAudioOnly_hasVariantsAndNoAudioGroup() {
        let text = PlaylistText.multivariant([.init(name: "a", video: nil), .init(name: "b", video: nil)])
        #expect(!text.contains("#EXT-X-MEDIA"))
        #expect(text.hasSuffix("CODECS=\"mp4a.40.2\"\nb/index.m3u8\n") && text.contains("\na/index.m3u8\n"))
    }
}
