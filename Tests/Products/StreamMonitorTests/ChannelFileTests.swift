import Foundation
import HLSInput
import StreamHealth
import StreamMonitor
import Testing

@Suite struct ChannelFileTests {
    @Test func file_withDefaultsAndChannels_mergesSettingsPerChannel() throws {
        let file = try ChannelFile(
            parsing: """
                # all of them
                [defaults]
                rendition = highest
                header = X-All: yes
                limit-gap = 12s
                quiet = 02:00-05:30
                [channel one-hd]
                name = Channel One HD   # as viewers know it
                url = https://cdn-a.example/one/master.m3u8#x
                header = X-Token: a${ONE_TOKEN}b${ONE_TOKEN}
                backup = https://cdn-b.example/one/master.m3u8
                compare-backup = yes
                limit-silence = 1m
                limit-longest-tag = 15
                expect-tags-in-ads = yes
                may-end = yes
                [channel Two_2]
                url = http://cdn-b.example/two.m3u8
                rendition = audio
                """, environment: ["ONE_TOKEN": "s3:cret"])
        #expect(file.channels.map(\.id) == ["one-hd", "Two_2"])
        let (one, two) = (file.channels[0], file.channels[1])
        #expect(one.name == "Channel One HD")
        #expect(one.url == "https://cdn-a.example/one/master.m3u8#x")
        #expect(one.headers.map(\.name) == ["X-All", "X-Token"])
        #expect(one.headers.map(\.value) == ["yes", "as3:cretbs3:cret"])
        #expect(one.backup == "https://cdn-b.example/one/master.m3u8" && one.comparesBackup)
        #expect(two.backup == nil && !two.comparesBackup)
        #expect(one.policy[.silence] == 60)
        #expect(one.rendition == .chosen(.highest))
        #expect(one.expectsTagsInBreaks && one.mayEnd)
        #expect(one.quiet == QuietHours("02:00-05:30"))
        #expect(two.name == "Two_2")
        #expect(two.headers.map(\.name) == ["X-All"])
        #expect(two.policy[.silence] == HealthPolicy()[.silence])
        #expect(two.rendition == .chosen(.audio))
        #expect(!two.expectsTagsInBreaks && !two.mayEnd)
        for channel in file.channels {
            let gap = try #require(HealthLimit.all.first { $0.name == "limit-gap" })
            #expect(channel.policy[gap] == 12)
        }
    }

    @Test(arguments: [
        ("url = http://a/b", 1, "'url' comes before the first section"),
        ("[defaults]\nurl = http://a/b", 2, "url is not allowed in [defaults]"),
        ("[defaults]\nbackup = http://a/b", 2, "backup is not allowed in [defaults]"),
        ("[channel a]\nbackup = a/b", 2, "backup takes an http or https address"),
        ("[channel a]\ncompare-backup = perhaps", 2, "compare-backup takes yes or no"),
        ("[defaults]\nname = x", 2, "name is not allowed in [defaults]"),
        ("[channels a]", 1, "unknown section [channels a]; a section is [defaults] or [channel ID]"),
        ("[channel]", 1, "unknown section [channel]; a section is [defaults] or [channel ID]"),
        ("[channel a b]", 1, "unknown section [channel a b]; a section is [defaults] or [channel ID]"),
        ("[channel a.b]", 1, "invalid id 'a.b'; an id has 1 to 64 letters, digits, '-' and '_'"),
        ("\n[channel a]\nname = x", 2, "the channel 'a' has no url"),
        ("[channel a]\nurl = ftp://a/b", 2, "url takes an http or https address"),
        ("[channel a]\nurl = http://a b", 2, "url takes an http or https address"),
        ("[channel a]\nurl =", 2, "url must not be empty"),
        (
            "[channel a]\nurl = http://a/b\n[channel b]\nurl = http://a/b\n[channel a]\nurl = http://a/c", 5,
            "duplicate channel 'a'"
        ),
        ("[channel a]\nurl = http://a/b\nurl = http://a/c", 3, "duplicate key 'url' in this section"),
        (
            "[defaults]\nlimit-gap = 3s\nquiet = 1:00-2:00\nlimit-gap = 4s", 4,
            "duplicate key 'limit-gap' in this section"
        ),
        ("[channel a]\nrendtion = audio", 2, "unknown key 'rendtion'; did you mean 'rendition'?"),
        ("[channel a]\nlimit-gpa = 3", 2, "unknown key 'limit-gpa'; did you mean 'limit-gap'?"),
        ("[channel a]\nlimit-gap = soon", 2, "limit-gap takes a time such as 12s or 15m, not 'soon'"),
        ("[channel a]\nlimit-gap = -1", 2, "limit-gap takes a time such as 12s or 15m, not '-1'"),
        (
            "[channel a]\nquiet = 2-5", 2, "quiet takes two times of day such as 02:00-05:30, not '2-5'"
        ),
        ("[channel a]\nmay-end = perhaps", 2, "may-end takes yes or no"),
        ("[channel a]\nexpect-tags-in-ads = maybe", 2, "expect-tags-in-ads takes yes or no"),
        (
            "[channel a]\naccept = time.gap time.gab", 2,
            "accept takes ids of checks; there is no check 'time.gab'; did you mean 'time.gap'?"
        ),
        ("[channel a]\nheader = X-Token", 2, "header takes 'Name: value'"),
        (
            "[channel a]\nheader = X Token: a", 2,
            "header takes 'Name: value' with a name of letters and '-'"
        ),
        ("[channel a]\nheader = X: ${NOT_SET}", 2, "the variable NOT_SET is not set"),
        ("[channel a]\nheader = X: ${EMPTY}", 2, "the variable EMPTY is not set"),
        ("[channel a]\nheader = X: ${LINES}", 2, "the variable LINES contains a control character"),
        ("[channel a]\nheader = X: ${OPEN", 2, "'${' without '}'"),
        (
            "[defaults]\nproxy = https://proxy.example", 2,
            "proxy takes an http address such as http://proxy.example:3128"
        ),
        (
            "[channel a]\nproxy = http://proxy example", 2,
            "proxy takes an http address such as http://proxy.example:3128"
        ),
        ("[channel a]\nurl", 2, "not of the form key = value: url"),
        ("[channel a", 1, "a section without its closing bracket: [channel a"),
    ])
    func channelFile_withAnError_namesTheLine(text: String, line: Int, message: String) {
        let error = #expect(throws: ChannelFile.Fault.self) {
            try ChannelFile(parsing: text, environment: ["EMPTY": "", "LINES": "a\r\nX-Other: b"])
        }
        #expect(error?.line == line)
        #expect(error?.message == message)
    }

    @Test func channel_withoutSettings_hasTheDefaults() throws {
        let channel = try #require(
            try ChannelFile(parsing: "[channel a]\nurl = http://a/b").channels.first)
        #expect(channel.rendition == .automatic)
        #expect(channel.quiet == nil)
        #expect(channel.headers.isEmpty)
        #expect(channel.policy == HealthPolicy())
        var model = ChannelSettings(id: "", url: "")
        model.rendition = .chosen(.lowest)
        let likeIt = try ChannelFile(parsing: "[channel a]\nurl = http://a/b", defaults: model)
        #expect(likeIt.channels.first?.rendition == .chosen(.lowest))
        #expect(try ChannelFile(parsing: "# none\n[defaults]\nrendition = auto\n").channels.isEmpty)
    }

    @Test func packagedFile_isAParsableExample() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Packaging/systemd/channels")
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(try ChannelFile(parsing: text).channels.isEmpty)
        // A user would remove the comment marks from all lines but the first.
        let example = text.split(separator: "\n").dropFirst().map { $0.dropFirst(2) }
            .joined(separator: "\n")
        let channels = try ChannelFile(parsing: example, environment: ["ONE_TOKEN": "x"]).channels
        #expect(channels.map(\.id) == ["one-hd"])
        #expect(channels.first?.headers.count == 1)
    }

    @Test func channels_fromURLs_areNamedAfterThem() {
        let urls = [
            "https://user:secret@cdn-a.example/one/master.m3u8?token=secret",
            "https://cdn-a.example/one/master.m3u8", "http://cdn/", "http://[::1]:80/x.y/z#f",
            "https://cdn.example/" + String(repeating: "a/", count: 60) + "last.m3u8",
        ]
        var model = ChannelSettings(id: "", url: "")
        model.rendition = .chosen(.audio)
        let channels = ChannelSettings.channels(at: urls, like: model)
        #expect(channels.allSatisfy { $0.rendition == .chosen(.audio) && $0.name == $0.id })
        #expect(channels.map(\.url) == urls)
        let ids = channels.map(\.id)
        #expect(ids[..<4] == ["cdn-a-example-one-master", "cdn-a-example-one-master-2", "cdn", "1-80-x-y-z"])
        #expect(ids[4].hasSuffix("a-a-last"))
        #expect(ids.allSatisfy(ChannelSettings.isID))
    }
}
