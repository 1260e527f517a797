import HTTPTransfer
import Testing

@testable import HLSInput

/// Texts, names and errors in which secrets of a channel are hidden.
@Suite struct InputSecretsTests {
    private static func headers(_ fields: [(name: String, value: String)]) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in fields { headers.append(field.name, field.value) }
        return headers
    }

    private static let secrets = InputSecrets(
        addresses: ["https://user-name:pass-word@cdn.example/a.m3u8?token=abcdef123&v=1"],
        headers: headers([("Authorization", "Bearer header-token"), ("X", "k")]))

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
    func text_withSecrets_isRedacted(text: String, expected: String) {
        #expect(Self.secrets.hidden(inText: text) == expected)
        #expect(Self.secrets.hidden(inText: expected) == expected)
    }

    @Test(arguments: [
        ("a.ts", "a.ts"), ("a.ts?", "a.ts?"), ("a.ts?sig=1", "a.ts?…"), ("a.ts?sig=1#x", "a.ts?…"),
        ("a.ts?sig=1 and \"2\"", "a.ts?…"), ("http://me:you@host/abcdef123/a.ts?b", "http://…@host/…/a.ts?…"),
    ])
    func url_withAQuery_isRedactedWithItsQuery(url: String, expected: String) {
        #expect(Self.secrets.hidden(inURL: url) == expected)
        #expect(Self.secrets.hidden(inURL: expected) == expected)
    }

    @Test func recordedName_keepsItsQuery_exceptForSecretsOfTheURLs() {
        let name = "abcdef123/a.ts?token=abcdef123&sig=other&h=header-token"
        #expect(
            Self.secrets.hidden(inRecordedName: name) == "…/a.ts?token=…&sig=other&h=header-token")
        let all = Self.secrets.including(["http://cdn.example/b.m3u8?sig=of-redirect"])
        #expect(all.hidden(inText: "of-redirect and abcdef123") == "… and …")
        #expect(all.hidden(inRecordedName: "of-redirect") == "of-redirect")
    }

    @Test func secretsOfAllAddresses_areHidden() {
        let text = InputSecrets(
            addresses: [
                "https://cdn.example/a.m3u8", "https://backup.example/a.m3u8?key=of-the-backup",
                "http://proxy-user:proxy-word@proxy.example:3128",
            ], headers: HTTPHeaders()
        ).hidden(inText: "of-the-backup, proxy-user and proxy-word")
        #expect(text == "…, … and …")
    }

    @Test func liveInput_hidesTheSecretsOfItsBackupAndProxy() throws {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var connection = ConnectionSettings()
        connection.proxy = "http://proxy-user:proxy-word@proxy.example:3128"
        let input = LiveInput(
            channel: "one", url: "https://cdn.example/a.m3u8?x=1",
            otherURL: "https://backup.example/a.m3u8?key=of-the-backup", connection: connection,
            fetcher: try ResourceFetcher(client: client))
        #expect(input.printableURL == "https://cdn.example/a.m3u8?…")
        #expect(input.secrets.hidden(inText: "of-the-backup, proxy-user and proxy-word") == "…, … and …")
    }

    @Test func playlist_isRedacted_withoutQueriesAndVariables() {
        let playlist = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="a",VALUE="secret"
            #EXT-X-KEY:METHOD=AES-128,URI="https://me:you@keys.example/k?id=1",IV=0x01
            #EXTINF:6.4,
            seg1.ts?token=abcdef123
            seg2.ts?token=1 2

            """
        #expect(
            Self.secrets.hidden(inPlaylist: Array(playlist.utf8)) == """
                #EXTM3U
                #EXT-X-DEFINE:…
                #EXT-X-KEY:METHOD=AES-128,URI="https://…@keys.example/k?…",IV=0x01
                #EXTINF:6.4,
                seg1.ts?…
                seg2.ts?…

                """)
    }

    @Test(arguments: [
        InputError.unreadable("a?abcdef123", reason: "abcdef123"), .notRegularFile("a?abcdef123"),
        .tooLarge("a?abcdef123", maximumByteCount: 1), .cancelled("a?abcdef123"), .empty("a?abcdef123"),
        .notMedia("a?abcdef123", likely: nil), .notPlaylist("a?abcdef123", likely: nil),
        .damagedPlaylist("a?abcdef123", reason: "abcdef123"), .nestedPlaylist("a?abcdef123"),
        .forbiddenAddress("a?abcdef123", playlist: "b?abcdef123"),
        .unsupportedScheme("abcdef123", reference: "a?abcdef123"),
        .transfer("a?abcdef123", reason: "abcdef123", isRetriable: true),
        .encrypted("a?abcdef123", method: "abcdef123"), .undecipherable("a?abcdef123", reason: "abcdef123"),
        .demuxing("a?abcdef123", reason: "abcdef123"),
        .noSuchRendition("a?abcdef123", playlist: "b?abcdef123"),
    ])
    func error_ofEachKind_containsNoSecret(error: InputError) {
        let hidden = Self.secrets.hidden(inError: error)
        #expect(!hidden.message.contains("abcdef123") && hidden.message.contains("a?…"))
        #expect(hidden.isRetriable == error.isRetriable)
    }

    /// A secret next to other characters that are replaced.
    @Test func secret_betweenAnyCharacters_isHidden() {
        for before in ["", "a", "?", "://", "@", "\n", "ab\u{301}"] {
            for after in ["", "z", "?x", "@host", "\"", " "] {
                let text = "\(before)header-token\(after)"
                #expect(!Self.secrets.hidden(inText: text).contains("header-token"))
                #expect(!Self.secrets.hidden(inURL: text).contains("header-token"))
            }
        }
    }

    @Test func keyInADataURI_isHiddenInAPlaylist() {
        let line = "#EXT-X-KEY:METHOD=AES-128,URI=\"DATA:;base64,AAECAwQFBgc=\",IV=0x1"
        let hidden = Self.secrets.hidden(inPlaylist: Array(line.utf8))
        #expect(hidden == "#EXT-X-KEY:METHOD=AES-128,URI=\"data:…")
    }
}
