import HTTPTransfer
import Testing

@testable import StreamMonitor

/// What is left of texts in which secrets stand.
@Suite struct RedactionTests {
    private static let redaction: Redaction = {
        var settings = ChannelSettings(
            id: "one", url: "https://user-name:pass-word@cdn.example/a.m3u8?token=abcdef123&v=1")
        settings.headers = [
            .init(name: "Authorization", value: "Bearer header-token"), .init(name: "X", value: "k"),
        ]
        return Redaction(settings)
    }()

    @Test(arguments: [
        ("nothing to hide", "nothing to hide"),
        ("https://cdn.example/a.m3u8?x=1", "https://cdn.example/a.m3u8?…"),
        ("seg.ts?sig=1 and more", "seg.ts?… and more"),
        ("what? no", "what? no"),
        (#"URI="a?b=c",X="y""#, #"URI="a?…",X="y""#),
        ("http://me:secret@host/x@y", "http://…@host/x@y"),
        ("http://a@b@host", "http://…@host"),
        ("the token abcdef123 is in it", "the token … is in it"),
        ("Bearer header-token", "…"),
        ("header-token", "…"),
        ("pass-word of user-name", "… of …"),
        ("", ""),
    ])
    func text_hasNoSecret(text: String, expected: String) {
        #expect(Self.redaction.text(text) == expected)
    }

    /// Whatever address they belong to.
    @Test func secretsOfBackupAndProxy_areLeftOutToo() {
        var settings = ChannelSettings(id: "one", url: "https://cdn.example/a.m3u8")
        settings.backup = "https://backup.example/a.m3u8?key=of-the-backup"
        settings.connection.proxy = "http://proxy-user:proxy-word@proxy.example:3128"
        let text = Redaction(settings).text("of-the-backup, proxy-user and proxy-word")
        #expect(text == "…, … and …")
    }

    @Test func playlist_hasNoQueryAndNoVariable() {
        let playlist = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="a",VALUE="secret"
            #EXT-X-KEY:METHOD=AES-128,URI="https://me:you@keys.example/k?id=1",IV=0x01
            #EXTINF:6.4,
            seg1.ts?token=abcdef123

            """
        #expect(
            Self.redaction.playlist(Array(playlist.utf8)) == """
                #EXTM3U
                #EXT-X-DEFINE:…
                #EXT-X-KEY:METHOD=AES-128,URI="https://…@keys.example/k?…",IV=0x01
                #EXTINF:6.4,
                seg1.ts?…

                """)
    }

    /// A secret in any place of a text, also over what else is left out.
    @Test func secret_isFoundWhereverItStands() {
        for before in ["", "a", "?", "://", "@", "\n", "ab\u{301}"] {
            for after in ["", "z", "?x", "@host", "\"", " "] {
                #expect(!Self.redaction.text("\(before)header-token\(after)").contains("header-token"))
            }
        }
    }
}
