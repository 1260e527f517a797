import Foundation
import StreamHealth
import StreamMonitor
import Synchronization
import TestSupport
import Testing

/// Which channels are followed, as they are changed while a monitor runs.
@Suite struct ChannelRosterTests {
    /// The channel file, which a test changes.
    private final class Listed: Sendable {
        private let text: Mutex<String>
        init(_ text: String) { self.text = Mutex(text) }
        func set(_ new: String) { text.withLock { $0 = new } }
        func read() throws(ChannelChangeError) -> ChannelFile {
            do throws(ChannelFile.Fault) {
                return try ChannelFile(parsing: text.withLock { $0 }, environment: ["TOKEN": "s3cret"])
            } catch {
                throw .invalid(error.message)
            }
        }
    }

    private static let two = """
        [defaults]
        header = X-Token: ${TOKEN}
        limit-gap = 12s
        [channel a]
        url = http://h/a
        [channel b]
        url = http://h/b
        """

    private static func roster(_ listed: Listed, _ folder: TemporaryFolder) throws -> ChannelRoster {
        let roster = ChannelRoster(try listed.read(), keptAt: folder.file) { () throws(ChannelChangeError) in
            try listed.read()
        }
        return roster
    }

    private static func ids(_ roster: ChannelRoster) -> [String] { roster.channels.map(\.id) }

    @Test func changes_areToldInOrder_andAreThereAfterARestart() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let told = Mutex<[String]>([])
        var roster = try Self.roster(listed, folder)
        roster.begin { channels, paused in
            told.withLock {
                $0.append(channels.map { paused.contains($0.id) ? "(\($0.id))" : $0.id }.joined())
            }
        }
        #expect(try roster.add(json: Array(#"{"id":"c","url":"http://h/c"}"#.utf8)) == "c")
        try roster.remove("a")
        try roster.setPaused("b", true)
        try roster.setPaused("c", true)
        try roster.setPaused("b", false)
        #expect(told.withLock { $0 } == ["ab", "abc", "bc", "(b)c", "(b)(c)", "b(c)"])
        roster = try Self.roster(listed, folder)
        told.withLock { $0 = [] }
        roster.begin { channels, paused in
            told.withLock {
                $0.append(channels.map { paused.contains($0.id) ? "(\($0.id))" : $0.id }.joined())
            }
        }
        #expect(told.withLock { $0 } == ["b(c)"])
        try roster.remove("c")
        #expect(try roster.add(json: Array(#"{"id":"a","url":"http://h/other"}"#.utf8)) == "a")
        // The file goes before what was added.
        #expect(roster.channels.map(\.url) == ["http://h/a", "http://h/b"])
    }

    @Test func channelThatIsAdded_hasTheDefaultsButNotTheirHeaderFields() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let roster = try Self.roster(listed, folder)
        _ = try roster.add(
            json: Array(
                #"""
                {"id":"c","url":"http://h/c","name":"C \u00e9","quiet":"02:00-05:30","expect-tags-in-ads":true,
                "limit-silence":45,"header":["X-One: 1","X-Two: 2"]}
                """#.utf8))
        let channel = try #require(roster.channels.last)
        #expect(channel.name == "C é" && channel.quiet == QuietHours("02:00-05:30"))
        #expect(channel.expectsTagsInBreaks && channel.policy[.silence] == 45)
        #expect(channel.headers.map(\.name) == ["X-One", "X-Two"])
        let gap = try #require(HealthLimit.all.first { $0.name == "limit-gap" })
        #expect(channel.policy[gap] == 12)
        let file = try String(contentsOfFile: folder.file, encoding: .utf8)
        #expect(!file.contains("s3cret"))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(arguments: [
        ("", "the body is not a JSON object"), ("[]", "the body is not a JSON object"),
        (#"{"id":"c"} x"#, "the body is not a JSON object"),
        (#"{"url":"http://h/c"}"#, "the channel has no id"),
        (#"{"id":7,"url":"http://h/c"}"#, "the channel has no id"),
        (#"{"id":"a b","url":"http://h/c"}"#, "an id has 1 to 64"),
        (#"{"id":"c"}"#, "the channel 'c' has no url"),
        (#"{"id":"c","url":"file:///etc/passwd"}"#, "url takes an http or https address"),
        (#"{"id":"c","url":["http://h/c"]}"#, "url has a value of the wrong type"),
        (#"{"id":"c","url":"http://h/c","header":[1]}"#, "header has a value of the wrong type"),
        (#"{"id":"c","url":"http://h/c","name":null}"#, "name has a value of the wrong type"),
        (#"{"id":"c","url":"http://h/c","urll":"x"}"#, "unknown key 'urll'; did you mean 'url'?"),
        (
            #"{"id":"c","url":"http://h/c","header":"X: ${TOKEN}"}"#,
            "variables are allowed only in the channel file"
        ),
        (#"{"id":"c","url":"http://h/c","header":"X: a\r\nY: b"}"#, "header contains a control character"),
        (#"{"id":"c","url":"http://h/c","ca-file":"/a"}"#, "ca-file is allowed only in the channel file"),
        (
            #"{"id":"c","url":"http://h/c","client-cert":"/a"}"#,
            "client-cert is allowed only in the channel file"
        ),
        (#"{"id":"c","url":"http://h/c","proxy":"http://h"}"#, "proxy is allowed only in the channel file"),
    ])
    func whatDescribesNoChannel_isRefused_andChangesNothing(json: String, message: String) throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let roster = try Self.roster(listed, folder)
        do throws(ChannelChangeError) {
            _ = try roster.add(json: Array(json.utf8))
            Issue.record("it was added")
        } catch {
            guard case .invalid(let found) = error else { throw error }
            #expect(found.contains(message), "\(found)")
        }
        #expect(Self.ids(roster) == ["a", "b"] && !FileManager.default.fileExists(atPath: folder.file))
    }

    @Test func everyDamageOfABody_isAnErrorOrAChannel() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let whole = Array(#"{"id":"c","url":"http://h/c","header":["X: 1"],"quiet":"02:00-03:00"}"#.utf8)
        var damaged = (0..<whole.count).map { Array(whole.prefix($0)) }
        for index in whole.indices {
            for byte in [0, 0x22, 0x5C, 0x7B, 0x80, 0xFF] as [UInt8] {
                damaged.append(whole)
                damaged[damaged.count - 1][index] = byte
            }
        }
        var refusedCount = 0
        for body in damaged {
            let roster = ChannelRoster(try listed.read(), keptAt: nil)
            do throws(ChannelChangeError) {
                let id = try roster.add(json: body)
                #expect(Self.ids(roster) == ["a", "b", id])
            } catch {
                refusedCount += 1
                #expect(Self.ids(roster) == ["a", "b"])
            }
        }
        #expect(refusedCount > damaged.count / 2 && !folder.path.isEmpty)
    }

    @Test func idsThatDoNotFit_areRefused() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let roster = try Self.roster(listed, folder)
        #expect(throws: ChannelChangeError.taken(id: "a")) {
            _ = try roster.add(json: Array(#"{"id":"a","url":"http://h/c"}"#.utf8))
        }
        #expect(throws: ChannelChangeError.unknown(id: "x")) { try roster.remove("x") }
        #expect(throws: ChannelChangeError.unknown(id: "x")) { try roster.setPaused("x", true) }
        try roster.remove("a")
        #expect(throws: ChannelChangeError.unknown(id: "a")) { try roster.setPaused("a", false) }
        #expect(throws: ChannelChangeError.noFile) {
            _ = try ChannelRoster(try listed.read(), keptAt: nil).reload()
        }
    }

    @Test func fileThatIsReadAgain_bringsBackOnlyWhatItNamesAnew() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let roster = try Self.roster(listed, folder)
        try roster.remove("a")
        _ = try roster.add(json: Array(#"{"id":"c","url":"http://h/added"}"#.utf8))
        #expect(try roster.reload() == 2)
        #expect(Self.ids(roster) == ["b", "c"])
        listed.set("[channel b]\nurll = x")
        #expect(throws: ChannelChangeError.self) { _ = try roster.reload() }
        #expect(Self.ids(roster) == ["b", "c"])
        listed.set("[channel b]\nurl = http://h/b\n[channel c]\nurl = http://h/listed")
        #expect(try roster.reload() == 2)
        #expect(roster.channels.map(\.url) == ["http://h/b", "http://h/listed"])
        listed.set(Self.two)
        #expect(try roster.reload() == 2)
        #expect(Self.ids(roster) == ["a", "b"])
    }

    @Test func changeThatCannotBeKept_isNotMade() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let roster = ChannelRoster(try listed.read(), keptAt: folder.path + "/none/channels.json")
        do throws(ChannelChangeError) {
            try roster.remove("a")
            Issue.record("it was removed")
        } catch {
            guard case .unkept = error else { throw error }
        }
        #expect(Self.ids(roster) == ["a", "b"])
    }

    @Test(arguments: ["", "{", "[]", #"{"added":[{"id":1}]}"#])
    func damagedFile_isSaid_andTheChannelsOfTheFileAreFollowed(text: String) throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        try text.write(toFile: folder.file, atomically: false, encoding: .utf8)
        let roster = try Self.roster(listed, folder)
        #expect(roster.problem == "it is damaged")
        #expect(Self.ids(roster) == ["a", "b"])
        // The next change is kept, and takes nothing away that somebody may mend.
        try roster.setPaused("a", true)
        #expect(try String(contentsOfFile: folder.file + ".damaged", encoding: .utf8) == text)
        #expect(try Self.roster(listed, folder).problem == nil)
    }
}

extension TemporaryFolder {
    /// Where changes of the channels are kept.
    fileprivate var file: String { path + "/channels.json" }
}
