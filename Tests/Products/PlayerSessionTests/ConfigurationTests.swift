import CollectorService
import Foundation
import HTTPTransfer
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// The sources of the configuration, its effects, and the behavior without it.
@Suite(.timeLimit(.minutes(30))) struct ConfigurationTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    @Test(arguments: [
        "", "[]", "{", "null", #"{"collectors":[]}"#, #"{"collectors":{"us":1}}"#, #"{"token":5}"#,
        #"{"uploadInterval":"1"}"#, #"{"uploadInterval":0}"#, #"{"uploadInterval":1e9}"#,
        #"{"variables":"x"}"#, #"{"optedOut":"perhaps"}"#, #"{"optedOut":true}"#,
        #"{"variables":{"a":null}}"#, #"{"optOutURL":{}}"#,
    ])
    func invalidConfiguration_isRejected(text: String) {
        #expect(throws: ConfigurationProblem.self) { try SessionConfiguration(json: Array(text.utf8)) }
    }

    @Test func validConfiguration_isParsed() throws {
        let text = """
            {"collectors":{"US":"https://a/","default":"https://b/"},"token":"t","uploadInterval":2.5,
             "optOutURL":"https://c/","optedOut":"send","variables":{"EpisodeName":"title"},"more":[1]}
            """
        let configuration = try SessionConfiguration(json: Array(text.utf8))
        #expect(configuration.destination(of: "us")?.collector == "https://a/")
        #expect(configuration.destination(of: "it")?.collector == "https://b/")
        #expect(configuration.names == ["episodename": "title"] && configuration.uploadInterval == 2.5)
        #expect(configuration.sendsOptedOut)
        #expect(try SessionConfiguration(json: Array("{}".utf8)).destination(of: "us") == nil)
    }

    /// The tags reach the collector of the session's facility, and the app's own key names are mapped to the standard
    /// ones.
    @Test func session_withConfigurationFile_deliversToItsCollector() async throws {
        let folder = try TemporaryFolder()
        let collector = try Collector(settings: CollectorSettings(folder: folder.path + "/collected"))
        let file = folder.path + "/configuration.json"
        try """
        {"collectors":{"us":"\(collector.url)"},"uploadInterval":0.1,"variables":{"Station":"channelName"}}
        """.write(toFile: file, atomically: true, encoding: .utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        // These calls come before the configuration: they are queued, and made in order once it arrives.
        session.play(["Station": "One"])
        session.sendID3("www.nielsen.com/a")
        try await wait(for: "the app, the channel and the tag", asking: { collector.status.accepted == 3 })
        #expect(session.lastEvent?.code == 2_001 && session.lastOccurred == session.lastEvent)
        session.sendID3("www.nielsen.com/b", mediaTime: 100)
        session.sendID3("www.nielsen.com/c")
        try await wait(for: "the tag that is not held", asking: { collector.status.accepted == 4 })
        #expect(session.counts.held == 1)
        session.stop()
        try await wait(for: "the tag that was held", asking: { collector.status.accepted == 5 })
        await session.finish()
        collector.stop()
        let records = try folder.records(of: "collected")
        #expect(records.compactMap { $0["channel"] as? String } == ["One", "One", "One", "One"])
        #expect(records.compactMap { $0["presented"] as? Bool } == [true, true, false])
    }

    /// The tag is on the disk before it is presented, and is still delivered as presented.
    @Test func heldTag_isStoredImmediately_andDeliveredOncePresented() async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path)
        var options = SessionOptions(directory: folder.path)
        options.keepsIdentity = false
        let session = MeasurementSession(options: options, clock: ManualClock(), buffer: buffer)
        session.sendID3("www.nielsen.com/a", mediaTime: 3)
        #expect(await session.flush())
        #expect(try await buffer.nextBatch(maximumCount: 9, maximumByteCount: .max).isEmpty)
        #expect(buffer.totals().inStore == 1)
        session.playheadPosition(3)
        #expect(await session.flush())
        #expect(try await buffer.nextBatch(maximumCount: 9, maximumByteCount: .max).count == 1)
        #expect(try await buffer.verify().damagedCount == 0)
        await session.finish()
        await buffer.close()
    }

    @Test(
        arguments: [
            (nil, 4, ": no such file or directory; the last valid configuration is used"),
            ("{", 5, ": it is not a JSON object; the last valid configuration is used"),
            (
                #"{"uploadInterval":0}"#, 5,
                ": uploadInterval: is not a number of seconds from 0.1 to 86400; the last valid configuration is used"
            ),
        ] as [(String?, Int, String)])
    func configuration_missingOrInvalid_isAnError_andTheLastValidOneApplies(
        text: String?, code: Int, reason: String
    ) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/configuration.json"
        try #"{"optOutURL":"https://c/","collectors":{"us":"http://127.0.0.1:9/"}}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        for launch in 0..<2 {
            let session = MeasurementSession(appInfo: Self.appInfo, options: options)
            session.sendID3("www.nielsen.com/a")
            try await wait(for: "the configuration", asking: { session.optOutURL == "https://c/" })
            try await wait(for: "the startup", asking: { session.lastEvent?.code == 2_001 })
            #expect(await session.flush())
            #expect(session.counts.stored == 1)
            await session.finish()
            var errors: [SessionNotification] = []
            // Nothing listens at the collector's address, so error 1001 is expected.
            for await notice in session.notifications where notice.kind == .error && notice.code != 1_001 {
                errors.append(notice)
            }
            #expect(errors.map(\.code) == (launch == 0 ? [] : [code]))
            #expect(errors.map(\.text) == (launch == 0 ? [] : [file + reason]))
            if let text {
                try text.write(toFile: file, atomically: true, encoding: .utf8)
            } else if launch == 0 {
                try FileManager.default.removeItem(atPath: file)
            }
        }
    }

    /// A stored configuration applies only to the app and facility that loaded it.
    @Test func storedConfiguration_appliesOnlyToItsAppAndFacility() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/configuration.json"
        try #"{"token":"of-one"}"#.write(toFile: file, atomically: true, encoding: .utf8)
        func load(_ file: String, _ app: String, _ facility: String) async -> String? {
            let loader = ConfigurationLoader(
                source: .file(path: file), directory: folder.path + "/store", authoritiesFile: nil)
            return await loader.load(for: AppIdentity(appID: app, facility: facility)).configuration?.token
        }
        #expect(await load(file, "one", "us") == "of-one")
        #expect(await load(file + ".none", "one", "us") == "of-one")
        #expect(await load(file + ".none", "two", "us") == nil)
        #expect(await load(file + ".none", "one", "it") == nil)
    }

    @Test func configuration_neverReceived_isAnError_andTagsAreStored() async throws {
        let folder = try TemporaryFolder()
        var options = SessionOptions(directory: folder.path)
        options.configuration = .url("http://127.0.0.1:9/none")
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        session.sendID3("www.nielsen.com/a")
        try await wait(for: "the error", asking: { session.lastError?.code == 4 })
        #expect(session.lastError?.text.hasPrefix("http://127.0.0.1:9/none: no connection") == true)
        #expect(session.lastOccurred == session.lastError)
        #expect(session.delivery == SessionDelivery(.off, reason: session.lastError?.text))
        #expect(await session.flush())
        #expect(session.counts.stored == 1 && session.lastEvent == nil)
        await session.finish()
    }

    /// A server that accepts the connection and sends nothing ends the request after this time.
    @Test func request_ofConfiguration_ends20SecondsAfterItsStart() {
        let request = ConfigurationLoader.request(for: "http://127.0.0.1:9/")
        #expect(request.timeLimits.total == 20)
    }

    /// The address answers after a while, so the tags are delivered in this launch.
    @Test func configuration_thatCannotBeFetched_isFetchedLater() async throws {
        let folder = try TemporaryFolder()
        // Accepts any batch without compression.
        let collector = try LoopbackServer { request in
            guard request.field("Content-Encoding") == nil else {
                let error = #"{"error":{"code":"unsupported_encoding","message":""}}"#
                return [response("415 Unsupported Media Type", error)]
            }
            let count = request.body.split(separator: "\n").count - 1
            return [response("200 OK", #"{"accepted":\#(count),"duplicate":0,"rejected":[]}"#)]
        }
        let attempts = Counter()
        let text = #"{"collectors":{"us":"\#(collector.base)/"},"uploadInterval":3600}"#
        let server = try LoopbackServer { _ in
            [attempts.next() <= 12 ? response("503 Service Unavailable", "down") : response("200 OK", text)]
        }
        let clock = ManualClock(jumps: true)
        var options = SessionOptions(directory: folder.path)
        options.configuration = .url(server.base + "/configuration")
        let session = MeasurementSession(options: options, clock: clock)
        session.initialize(Self.appInfo)
        session.sendID3("www.nielsen.com/a")
        try await wait(for: "the delivery") { (session.bufferTotals?.delivered ?? 0) > 0 }
        await session.finish()
        var notices: [Int] = []
        for await notice in session.notifications where notice.kind != .finding {
            notices.append(notice.code)
        }
        #expect(notices == [4, 2_001, 2_002], "reported once")
        let delays = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map { Duration.seconds($0) }
        let sleeps = clock.sleeps.filter { delays.contains($0) }
        #expect(sleeps.prefix(12).elementsEqual(delays) && attempts.next() == 14)
        server.stop()
        collector.stop()
    }

    /// The number of queued calls is limited.
    ///
    /// At the limit, the session handles them without the configuration, drops none, and counts a finding.
    @Test func queuedCalls_atTheLimit_proceedWithoutConfiguration() async throws {
        var options = SessionOptions(directory: "")
        options.configuration = .url("http://127.0.0.1:9/none")
        options.keepsIdentity = false
        var core = SessionCore(options: options, log: SessionLog(options: options, at: (1, .zero))) {
            "viewing"
        }
        let start = core.handle(SessionCall(.initialize, [Self.appInfo]), at: .zero).output
        #expect(start.effects == [.loadConfiguration(AppIdentity(appID: "T1", facility: "us"))])
        for number in 0..<SessionCore.maximumQueuedCount - 1 {
            let call = SessionCall(.sendID3, [.text("www.nielsen.com/\(number)")])
            let (result, output) = core.handle(call, at: .zero)
            #expect(result.outcome == .queued && output.writes.isEmpty)
        }
        let last = core.handle(SessionCall(.sendID3, ["www.nielsen.com/last"]), at: .zero).output
        // The count includes the record of the app.
        #expect(last.writes.count == SessionCore.maximumQueuedCount + 1)
        #expect(core.findings[.queueOverflow] == 1 && core.counts.isConserved)
        // Calls are answered at once from now on.
        #expect(core.handle(SessionCall(.stop), at: .zero).result.outcome == .done)
    }

    /// Calls with long arguments, and tags of `sendID3` with and without the text for a log.
    @Test(arguments: [false, true])
    func queuedArguments_atTheLimit_proceedWithoutConfiguration(areTags: Bool) {
        var options = SessionOptions(directory: "")
        options.configuration = .url("http://127.0.0.1:9/none")
        options.keepsIdentity = false
        var core = SessionCore(options: options, log: SessionLog(options: options, at: (1, .zero))) {
            "viewing"
        }
        _ = core.handle(SessionCall(.initialize, [Self.appInfo]), at: .zero)
        let text = String(repeating: "x", count: 30_000)
        let call =
            areTags
            ? SessionCall(tag: Array("www.nielsen.com/\(text)".utf8).span, mediaTime: nil)
            : SessionCall(.updateMetadata, [["key": .text(text)]])
        var count = 0
        while count < 1_000, core.handle(call, at: .zero).result.outcome == .queued, core.findings.isEmpty {
            count += 1
        }
        #expect((135...145).contains(count), "\(count)")
        #expect(core.findings[.queueOverflow] == 1)
        #expect(core.handle(SessionCall(.stop), at: .zero).result.outcome != .queued)
    }

    /// Guide 002, 5.3: the server has a configuration for each application.
    @Test(arguments: [
        (
            "http://example.com/{appid}.json?app={appid}", "T 1/ä",
            "http://example.com/T%201%2F%C3%A4.json?app=T%201%2F%C3%A4"
        ),
        ("http://example.com/c.json", "T1", "http://example.com/c.json"),
        ("http://example.com/{appid}", "P-1_.~", "http://example.com/P-1_.~"),
    ])
    func appID_inAnAddress_isReplaced(address: String, id: String, expected: String) {
        let app = AppIdentity(appID: id, facility: "us")
        #expect(ConfigurationLoader.address(address, for: app) == expected)
    }
}
