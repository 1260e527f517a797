import Foundation
import StreamHealth
import StreamMonitor
import Synchronization
import TestSupport
import Testing

/// The list of followed channels, which changes while a monitor runs.
@Suite struct ChannelRegistryTests {
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

    private static func registry(_ listed: Listed, _ folder: TemporaryFolder) throws -> ChannelRegistry {
        let registry = ChannelRegistry(try listed.read(), savedAt: folder.file) {
            () throws(ChannelChangeError) in
            try listed.read()
        }
        return registry
    }

    private static func ids(_ registry: ChannelRegistry) -> [String] { registry.channels.map(\.id) }

    @Test func changes_areReportedInOrder_andPersistAcrossRestarts() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let told = Mutex<[String]>([])
        var registry = try Self.registry(listed, folder)
        registry.begin { channels, paused in
            told.withLock {
                $0.append(channels.map { paused.contains($0.id) ? "(\($0.id))" : $0.id }.joined())
            }
        }
        #expect(try registry.add(json: Array(#"{"id":"c","url":"http://h/c"}"#.utf8)) == "c")
        try registry.remove("a")
        try registry.setPaused("b", true)
        try registry.setPaused("c", true)
        try registry.setPaused("b", false)
        #expect(told.withLock { $0 } == ["ab", "abc", "bc", "(b)c", "(b)(c)", "b(c)"])
        registry = try Self.registry(listed, folder)
        told.withLock { $0 = [] }
        registry.begin { channels, paused in
            told.withLock {
                $0.append(channels.map { paused.contains($0.id) ? "(\($0.id))" : $0.id }.joined())
            }
        }
        #expect(told.withLock { $0 } == ["b(c)"])
        try registry.remove("c")
        #expect(try registry.add(json: Array(#"{"id":"a","url":"http://h/other"}"#.utf8)) == "a")
        // The channel of the file takes precedence over the added one.
        #expect(registry.channels.map(\.url) == ["http://h/a", "http://h/b"])
    }

    @Test func addedChannel_hasTheDefaults_exceptTheirHeaderFields() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let registry = try Self.registry(listed, folder)
        _ = try registry.add(
            json: Array(
                #"""
                {"id":"c","url":"http://h/c","name":"C \u00e9","quiet":"02:00-05:30","expect-tags-in-ads":true,
                "limit-silence":45,"header":["X-One: 1","X-Two: 2"]}
                """#.utf8))
        let channel = try #require(registry.channels.last)
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
    func invalidChannel_isRefused_andChangesNothing(json: String, message: String) throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let registry = try Self.registry(listed, folder)
        do throws(ChannelChangeError) {
            _ = try registry.add(json: Array(json.utf8))
            Issue.record("it was added")
        } catch {
            guard case .invalid(let found) = error else { throw error }
            #expect(found.contains(message), "\(found)")
        }
        #expect(Self.ids(registry) == ["a", "b"] && !FileManager.default.fileExists(atPath: folder.file))
    }

    @Test func damagedBody_isAnErrorOrAddsAChannel() throws {
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
            let registry = ChannelRegistry(try listed.read(), savedAt: nil)
            do throws(ChannelChangeError) {
                let id = try registry.add(json: body)
                #expect(Self.ids(registry) == ["a", "b", id])
            } catch {
                refusedCount += 1
                #expect(Self.ids(registry) == ["a", "b"])
            }
        }
        #expect(refusedCount > damaged.count / 2 && !folder.path.isEmpty)
    }

    @Test func takenOrUnknownIDs_areRefused() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let registry = try Self.registry(listed, folder)
        #expect(throws: ChannelChangeError.taken(id: "a")) {
            _ = try registry.add(json: Array(#"{"id":"a","url":"http://h/c"}"#.utf8))
        }
        #expect(throws: ChannelChangeError.unknown(id: "x")) { try registry.remove("x") }
        #expect(throws: ChannelChangeError.unknown(id: "x")) { try registry.setPaused("x", true) }
        try registry.remove("a")
        #expect(throws: ChannelChangeError.unknown(id: "a")) { try registry.setPaused("a", false) }
        #expect(throws: ChannelChangeError.noFile) {
            _ = try ChannelRegistry(try listed.read(), savedAt: nil).reload()
        }
    }

    @Test func reload_restoresOnlyNewlyListedChannels() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let registry = try Self.registry(listed, folder)
        try registry.remove("a")
        _ = try registry.add(json: Array(#"{"id":"c","url":"http://h/added"}"#.utf8))
        #expect(try registry.reload().count == 2)
        #expect(Self.ids(registry) == ["b", "c"])
        listed.set("[channel b]\nurll = x")
        #expect(throws: ChannelChangeError.self) { _ = try registry.reload() }
        #expect(Self.ids(registry) == ["b", "c"])
        listed.set("[channel b]\nurl = http://h/b\n[channel c]\nurl = http://h/listed")
        #expect(try registry.reload().count == 2)
        #expect(registry.channels.map(\.url) == ["http://h/b", "http://h/listed"])
        listed.set(Self.two)
        #expect(try registry.reload().count == 2)
        #expect(Self.ids(registry) == ["a", "b"])
    }

    @Test func reload_reportsAddedChangedAndRemovedChannels() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let registry = try Self.registry(listed, folder)
        #expect("\(try registry.reload())" == "nothing changed")
        listed.set("[channel b]\nurl = http://h/other\n[channel c]\nurl = http://h/c")
        #expect("\(try registry.reload())" == "added c; changed b; removed a")
        let many = (1...8).map { "[channel n\($0)]\nurl = http://h/n" }.joined(separator: "\n")
        listed.set(many)
        #expect("\(try registry.reload())" == "added n1, n2, n3, n4, n5 and 3 more; removed b, c")
    }

    @Test func changeThatCannotBeSaved_isNotApplied() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let registry = ChannelRegistry(try listed.read(), savedAt: folder.path + "/none/channels.json")
        do throws(ChannelChangeError) {
            try registry.remove("a")
            Issue.record("it was removed")
        } catch {
            guard case .unkept = error else { throw error }
        }
        #expect(Self.ids(registry) == ["a", "b"])
    }

    /// Channels of a saved file: as many as may be added, or with as many bytes of settings.
    @Test(arguments: [(4_096, 1), (256, 65_600)])
    func addedChannels_atTheirLimit_areRefused_untilOneIsRemoved(count: Int, byteCount: Int) throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let name = String(repeating: "n", count: byteCount)
        let added = (0..<count).map { #"{"id":"n\#($0)","settings":[["url","http://h/\#(name)"]]}"# }
        let saved = #"{"added":[\#(added.joined(separator: ","))],"removed":[],"paused":[]}"#
        try saved.write(toFile: folder.file, atomically: false, encoding: .utf8)
        let registry = try Self.registry(listed, folder)
        #expect(registry.problem == nil)
        let new = Array(#"{"id":"new","url":"http://h/new"}"#.utf8)
        #expect(throws: ChannelChangeError.full) { try registry.add(json: new) }
        try registry.remove("n0")
        #expect(try registry.add(json: new) == "new")
    }

    /// A channel that the file's defaults make invalid is not followed, and can be removed.
    @Test func addedChannel_thatIsInvalidNow_canBeRemoved() throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        let saved = #"{"added":[{"id":"c","settings":[["unknown","x"]]}],"removed":[],"paused":[]}"#
        try saved.write(toFile: folder.file, atomically: false, encoding: .utf8)
        let registry = try Self.registry(listed, folder)
        #expect(Self.ids(registry) == ["a", "b"])
        try registry.remove("c")
        #expect(throws: ChannelChangeError.unknown(id: "c")) { try registry.remove("c") }
    }

    @Test(arguments: ["", "{", "[]", #"{"added":[{"id":1}]}"#])
    func damagedSavedFile_isReported_andListedChannelsAreFollowed(text: String) throws {
        let (folder, listed) = (try TemporaryFolder(), Listed(Self.two))
        try text.write(toFile: folder.file, atomically: false, encoding: .utf8)
        let registry = try Self.registry(listed, folder)
        #expect(registry.problem == "it is damaged")
        #expect(Self.ids(registry) == ["a", "b"])
        // The next change is saved, and the damaged file remains for repair.
        try registry.setPaused("a", true)
        #expect(try String(contentsOfFile: folder.file + ".damaged", encoding: .utf8) == text)
        #expect(try Self.registry(listed, folder).problem == nil)
    }
}

extension TemporaryFolder {
    /// The path of the saved changes to the channels.
    fileprivate var file: String { path + "/channels.json" }
}
