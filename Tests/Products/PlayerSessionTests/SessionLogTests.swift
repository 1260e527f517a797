import Foundation
import TagRecord
import TagStore
import TestSupport
import Testing
import TextForms

@testable import PlayerSession

/// The log file that a session writes.
@Suite(.timeLimit(.minutes(30))) struct SessionLogTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    private static func lines(of path: String) throws -> [[String: Any]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    }

    private static func calls(of path: String) throws -> [String] {
        try lines(of: path).compactMap { $0["call"] as? String }
    }

    /// Returns a session of an app that writes its log to a file in the folder.
    private static func session(_ folder: TemporaryFolder, _ appInfo: MetadataValue = appInfo)
        -> MeasurementSession
    {
        var options = SessionOptions(directory: folder.path + "/store")
        options.log = folder.path + "/calls.jsonl"
        return MeasurementSession(appInfo: appInfo, options: options)
    }

    /// Replays a log, and returns the fields of its records that are not random, and the summary.
    private static func records(
        ofReplaying log: String, writing copy: String? = nil
    ) async throws -> (records: [[String: String]], summary: ReplaySummary) {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path + "/store")
        let replay = CallReplay(buffer: buffer, directory: folder.path + "/store", log: copy)
        var reader = CallLogReader()
        var lines: [CallLogLine] = []
        reader.read([UInt8](try Data(contentsOf: URL(filePath: log)))) { lines.append($0) }
        reader.finish { lines.append($0) }
        for line in lines { _ = await replay.perform(line) }
        let summary = replay.summary
        await replay.finish()
        let stored = try await buffer.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
        await buffer.close()
        let records = try stored.map { tag in
            var writer = JSONWriter()
            writer.beginObject()
            try StoredRecord.decode(tag.body.span).writeWireMembers(id: "", received: 0, to: &writer)
            writer.endObject()
            let object = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any] ?? [:]
            return try object.filter { !random.contains($0.key) }.mapValues { value in
                let bytes = try JSONSerialization.data(withJSONObject: [value], options: .sortedKeys)
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return (records, summary)
    }

    /// The keys of ids, and of times of the wall clock.
    private static let random: Set = [
        "id", "session", "app_session", "asset_play", "started", "ended", "pauses", "volume", "mute", "ott",
        "seen",
        "time", "observed", "observed_at",
    ]

    @Test(arguments: TraceTests.names(in: Project.root + "/Tests/Products/PlayerSessionTests/Traces"))
    func log_ofReplay_replaysToTheSameRecords(name: String) async throws {
        let folder = try TemporaryFolder()
        let copy = folder.path + "/copy.jsonl"
        let (records, summary) = try await Self.records(ofReplaying: name + ".jsonl", writing: copy)
        let (again, summaryAgain) = try await Self.records(ofReplaying: copy)
        #expect(records.count == again.count && !records.isEmpty)
        for (record, other) in zip(records, again) {
            let different = record.keys.filter { record[$0] != other[$0] }
            #expect(different.isEmpty && record.count == other.count, "\(different.map { record[$0] ?? "" })")
        }
        #expect(summary.counts == summaryAgain.counts && summary.findings == summaryAgain.findings)
    }

    /// The calls pass bytes, JSON text and names in other capitals, and two sessions share the file.
    @Test func log_sharedByTwoSessions_replaysToTheirRecords() async throws {
        let folder = try TemporaryFolder()
        let first = Self.session(folder)
        let second = Self.session(folder)
        for (session, channel) in [(first, "One"), (second, "Two")] {
            session.call(SessionCall(named: "PLAY", [.text("{\"channelName\":\"\(channel)\"}")]))
            session.loadMetadata(["type": "content", "assetid": "A"])
            session.sendID3(Array("www.nielsen.com/\(channel)\u{0}\u{ff}".utf8))
            session.sendID3([0x77, 0xFF, 0x00])
            session.playheadPosition(1.5)
            session.end()
        }
        #expect(await first.finish())
        #expect(await second.finish())
        let file = folder.path + "/calls.jsonl"
        let lines = try Self.lines(of: file)
        #expect(lines.count == 16)
        #expect(Set(lines.map { $0["instance"] as? String }) == [nil, "2"])
        #expect(lines.contains { $0["call"] as? String == "PLAY" && $0["outcome"] as? String == "done" })
        let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        let (records, summary) = try await Self.records(ofReplaying: file)
        #expect(
            Set(records.compactMap { $0["owner"] }) == [
                #"["www.nielsen.com\/One"]"#, #"["www.nielsen.com\/Two"]"#,
            ])
        #expect(records.compactMap { $0["channel"] }.filter { $0 == #"["Two"]"# }.count == 3)
        #expect(summary.counts.ignored == 2 && summary.unreadableCount == 0)
        #expect(summary.counts.sessions == first.counts.sessions + second.counts.sessions)
    }

    /// Another user may have placed the link.
    @Test(arguments: ["content", "", nil] as [String?])
    func log_atASymbolicLink_isRefusedAndLeavesTheTarget(content: String?) async throws {
        let folder = try TemporaryFolder()
        let target = folder.path + "/target"
        if let content { try folder.write("target", content) }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/calls.jsonl", withDestinationPath: target)
        let session = Self.session(folder)
        session.play(["channelName": "One"])
        #expect(await session.finish())
        #expect(FileManager.default.contents(atPath: target) == content.map { Data($0.utf8) })
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/calls.jsonl")
        #expect(link == target)
    }

    /// A folder on the path may be a link.
    @Test func log_inALinkedFolder_isWritten() async throws {
        let folder = try TemporaryFolder()
        let linked = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/logs", withDestinationPath: linked.path)
        var options = SessionOptions(directory: folder.path + "/store")
        options.log = folder.path + "/logs/calls.jsonl"
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        #expect(await session.finish())
        #expect(try Self.calls(of: linked.path + "/calls.jsonl").contains("init"))
    }

    @Test func logLevel_ofTheApp_selectsLoggedCalls() async throws {
        for (key, level, expected) in [
            ("nol_devDebug", "DEBUG", 6), ("nol_devDebug", "info", 5), ("nol_sdkDebug", "WARN", 2),
            ("NOL_DEVDEBUG", "ERROR", 1), ("nol_devDebug", "verbose", 6),
        ] {
            let folder = try TemporaryFolder()
            let session = Self.session(
                folder,
                .object([
                    .init("appid", "T1"), .init("appname", "App"), .init("appversion", "1"),
                    .init(key, .text(level)),
                ]))
            session.play(["channelName": "One"])
            session.call(SessionCall(.getMeterVersion))
            // A call with a finding, and a call with an error.
            session.stop()
            session.stop()
            session.playheadPosition(-1)
            await session.finish()
            let calls = try Self.calls(of: folder.path + "/calls.jsonl").filter { $0 != "free" }
            #expect(calls.count == expected, "\(level): \(calls)")
        }
    }

    /// The log contains no value that the app passed while the user had opted out, and can still be replayed.
    @Test func log_whileOptedOut_hasNoValues() async throws {
        let folder = try TemporaryFolder()
        let session = Self.session(folder)
        session.play(["channelName": "Before"])
        #expect(session.userOptOut("nielsenappsdk://1"))
        session.play(["channelName": "Secret"])
        session.loadMetadata("{\"assetid\":\"Secret\",\"deep\":{\"list\":[\"Secret\",12345]}}")
        session.sendID3("www.nielsen.com/Secret")
        session.sendID3(Array("www.nielsen.com/Secret".utf8))
        session.playheadPosition(12_345)
        session.ggPM("sendID3", "Secret")
        session.call(SessionCall(named: "other", ["Secret"]))
        session.initialize(["appid": "T1", "optout": "1", "latitude": 12_345])
        #expect(session.userOptOut("nielsenappsdk://0"))
        session.play(["channelName": "After"])
        await session.finish()
        let file = folder.path + "/calls.jsonl"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(!text.contains("Secret") && !text.contains("12345"), "\(text)")
        #expect(text.contains("Before") && text.contains("After") && text.contains("nielsenappsdk://1"))
        let (records, summary) = try await Self.records(ofReplaying: file)
        #expect(summary.counts.discarded == 3 && summary.counts.handed == 3)
        #expect(records.compactMap { $0["channel"] }.contains(#"["After"]"#))
    }

    /// The forms in which a player passes the user's choice.
    private static let choices: [[SessionCall]] = [
        [SessionCall(.userOptOut, ["nielsenappsdk://1"])],
        [SessionCall(.ggPM, ["userOptOut", "nielsenappsdk://1"])],
        [SessionCall(.ggPM, ["USEROPTOUT", "nielsenappsdk://1"])],
        [SessionCall(.initialize, [["appid": "T1", "uoo": "1"]])],
        [SessionCall(.ggPM, ["init", ["appid": "T1", "optout": true]])],
        [SessionCall(named: "nlsQ", ["T1", "player", ["optout": "1"]])],
        [SessionCall(.trackEvent, [["event": "playhead", "optout": "nielsenappsdk://1"]])],
        [SessionCall(.ggPM, ["trackEvent", "{\"optOut\":\"nielsenappsdk://1\"}"])],
    ]

    @Test(arguments: choices.indices) func log_ofAnyFormOfTheChoice_replaysToOptedOutUser(index: Int)
        async throws
    {
        let folder = try TemporaryFolder()
        let session = Self.session(folder)
        for call in Self.choices[index] { session.call(call) }
        session.sendID3("www.nielsen.com/out")
        session.ggPM("7")
        await session.finish()
        let file = folder.path + "/calls.jsonl"
        let (_, summary) = try await Self.records(ofReplaying: file)
        #expect(session.counts.discarded == 1 && summary.counts.discarded == 1)
        #expect(summary.findings == session.findings)
    }

    @Test func log_ofChoiceUnderTheAppsOwnKey_keepsIt() throws {
        var log = SessionLog(options: SessionOptions(directory: "").logging, at: (1, .zero))
        let call = SessionCall(.trackEvent, [["Refusal": "nielsenappsdk://1", "other": "Secret"]])
        let line = log.line(
            call, CallResult(), at: .zero, wasOptedOut: false, isOptedOut: true,
            names: ["refusal": "optout"])
        let text = String(decoding: line, as: UTF8.self)
        #expect(text.contains(#""Refusal":"nielsenappsdk://1""#) && !text.contains("Secret"))
    }

    /// The choice is not among the calls of the log: it was made in an earlier launch or in another session.
    @Test func log_ofUserWhoOptedOutElsewhere_saysSo_andReplaysToNoTags() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/calls.jsonl"
        do {
            let first = Self.session(folder)
            #expect(first.userOptOut("nielsenappsdk://1"))
            await first.finish()
        }
        let launched = Self.session(folder)
        launched.play(["channelName": "Secret"])
        launched.sendID3("www.nielsen.com/out")
        // Another session changes the choice twice, without a call in the log.
        var options = SessionOptions(directory: folder.path + "/store")
        options.log = folder.path + "/other.jsonl"
        let other = MeasurementSession(appInfo: Self.appInfo, options: options)
        await other.flush()
        #expect(other.userOptOut("nielsenappsdk://0"))
        launched.sendID3("www.nielsen.com/in")
        #expect(other.userOptOut("nielsenappsdk://1"))
        launched.sendID3("www.nielsen.com/out-again")
        launched.initialize(Self.appInfo)
        await launched.finish()
        await other.finish()

        let lines = try Self.lines(of: file)
        #expect(lines.first?["call"] as? String == "init")
        let marks = lines.map { $0["opted_out"] as? Bool }
        // `init`, `play`, three tags, `init`, `free`: each `init` says it, and otherwise each change.
        #expect(marks == [true, nil, nil, false, true, true, nil])
        let (records, summary) = try await Self.records(ofReplaying: file)
        #expect(summary.counts.discarded == 2 && summary.counts.stored == 1)
        #expect(records.compactMap { $0["owner"] } == [#"["www.nielsen.com\/in"]"#])
        // The log of a replay says it, too, and has `free` twice.
        let copy = folder.path + "/copy.jsonl"
        _ = try await Self.records(ofReplaying: file, writing: copy)
        #expect(try Self.lines(of: copy).map { $0["opted_out"] as? Bool } == marks + [nil])
    }

    @Test func log_isOffByDefault() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(
            appInfo: Self.appInfo, options: SessionOptions(directory: folder.path + "/store"))
        session.play(["channelName": "One"])
        await session.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
    }

    @Test func launch_startsNewLogFile_andKeepsThePreviousOne() async throws {
        let folder = try TemporaryFolder()
        for name in ["One", "Two", "Three"] {
            let session = Self.session(folder)
            session.play(["channelName": .text(name)])
            await session.finish()
        }
        let file = folder.path + "/calls.jsonl"
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("Three"))
        let previous = try String(contentsOfFile: file + ".1", encoding: .utf8)
        #expect(previous.contains("Two") && !previous.contains("One"))
    }

    /// A disk that hangs takes no line, so those beyond 8 MiB are left out, and counted.
    @Test func log_whileTheDiskHangs_keepsAtMost8MiB() async throws {
        let folder = try TemporaryFolder()
        let file = SessionLogFile.shared(folder.path + "/log")
        // Nothing is written before `beginWriting`.
        let line = [UInt8](repeating: 0x78, count: (1 << 20) - 1) + [0x0A]
        for number in 0..<10 { #expect(file.add(line) == (number == 0)) }
        file.beginWriting()
        await file.flush()
        let text = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
        #expect(text.utf8.count < (8 << 20) + 100)
        #expect(text.hasSuffix("x\n# 2 calls are left out: the disk was too slow\n"))
    }

    @Test func logFile_atMaximumSize_isRotated() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        var file = RotatedFile(path: path, maximumByteCount: 10)
        for line in ["12345\n", "123\n", "6\n", "a line that is longer than a file\n", "7\n"] {
            try file.append(Array(line.utf8))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "7\n")
        #expect(
            try String(contentsOfFile: path + ".1", encoding: .utf8) == "a line that is longer than a file\n")
    }

    /// The session continues, and reports the reason once.
    @Test func unwritableLogFile_isReportedOnce() async throws {
        for path in ["/no/such/folder/calls.jsonl", "/dev/null/calls.jsonl", "/tmp"] {
            let folder = try TemporaryFolder()
            var options = SessionOptions(directory: folder.path + "/store")
            options.log = path
            let session = MeasurementSession(appInfo: Self.appInfo, options: options)
            for number in 0..<50 {
                session.sendID3("www.nielsen.com/\(number)")
                await session.flush()
            }
            await session.finish()
            var errors: [SessionNotification] = []
            for await notice in session.notifications where notice.kind == .error { errors.append(notice) }
            #expect(errors.map(\.code) == [SessionErrorCode.fileWrite.rawValue], "\(path): \(errors)")
            #expect(session.counts.stored == 50)
        }
    }
}

extension SessionOptions {
    /// The options with a log.
    fileprivate var logging: SessionOptions {
        var options = self
        options.log = "calls.jsonl"
        return options
    }
}
