import Foundation
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// The state of the delivery that a player observes: each problem is reported once, with its reason.
@Suite(.timeLimit(.minutes(30))) struct DeliveryStateTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    /// Returns a session that delivers only its tags, to an address.
    private static func session(
        in folder: TemporaryFolder, collector: String, clock: ManualClock
    ) throws -> MeasurementSession {
        let file = folder.path + "/configuration.json"
        try #"{"collectors":{"us":"\#(collector)"},"token":"secret-token","records":"tags"}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        let session = MeasurementSession(options: options, clock: clock)
        session.initialize(appInfo)
        return session
    }

    /// Stores a tag in an earlier launch that does not deliver.
    ///
    /// The first attempt of the next launch finds the tag. One that is handed over at the start of that launch may be
    /// too late for the attempt, and a stopped clock never reaches the next one.
    private static func storeTag(in folder: TemporaryFolder, clock: ManualClock) async {
        let session = MeasurementSession(
            options: SessionOptions(directory: folder.path + "/store"), clock: clock)
        session.sendID3("www.nielsen.com/a")
        await session.finish()
    }

    /// Ends a session and returns everything that it reported, except its start and its end.
    private static func notices(of session: MeasurementSession) async -> [SessionNotification] {
        await session.finish()
        var notices: [SessionNotification] = []
        for await notice in session.notifications where ![2_001, 2_002, 2_201].contains(notice.code) {
            notices.append(notice)
        }
        return notices
    }

    /// The response of a collector that accepts a batch of one tag.
    private static let receipt = response("200 OK", #"{"accepted":1,"duplicate":0,"rejected":[]}"#)

    @Test func collectorOutage_isReportedOnce_andItsRecoveryOnce() async throws {
        let folder = try TemporaryFolder()
        let attempts = Counter()
        let server = try LoopbackServer { _ in
            [attempts.next() <= 4 ? response("503 Service Unavailable", "down") : Self.receipt]
        }
        let session = try Self.session(
            in: folder, collector: server.base + "/", clock: ManualClock(jumps: true))
        session.sendID3("www.nielsen.com/a")
        try await wait(for: "the delivery") { session.bufferTotals?.delivered == 1 }
        try await wait(for: "the state") { session.delivery == SessionDelivery(.idle) }
        let notices = await Self.notices(of: session)
        server.stop()
        #expect(notices.map(\.code) == [9, 2_101])
        #expect(notices.first?.kind == .error && notices.last?.kind == .event)
        #expect(notices.first?.text == "delivery is retried: \(server.base)/: status 503")
        #expect(notices.last?.text == "delivering again")
    }

    @Test func wrongToken_holdsDelivery_andTheReasonOmitsTheToken() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in
            [response("401 Unauthorized", #"{"error":{"code":"unauthorized","message":"no such token"}}"#)]
        }
        let clock = ManualClock()
        await Self.storeTag(in: folder, clock: clock)
        let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        try await wait(for: "the state") { session.delivery.state == .held }
        #expect(session.delivery.code == .httpStatus && session.delivery.since == clock.unixMilliseconds)
        #expect(session.delivery.reason == "status 401: unauthorized: no such token")
        #expect(session.lastError?.code == 9)
        let notices = await Self.notices(of: session)
        server.stop()
        #expect(notices.map(\.code) == [9])
        #expect(notices.allSatisfy { !$0.text.contains("secret-token") })
    }

    @Test func unreachableCollector_isError1001_andInvalidResponseIsError8() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        await Self.storeTag(in: folder, clock: clock)
        let unreachable = try Self.session(in: folder, collector: "http://127.0.0.1:9/", clock: clock)
        try await wait(for: "the state") { unreachable.delivery.state == .retrying }
        #expect(unreachable.delivery.code == .network)
        #expect(await Self.notices(of: unreachable).map(\.code) == [1_001])

        let server = try LoopbackServer { _ in [response("200 OK", "<p>Log in</p>")] }
        let wrong = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        try await wait(for: "the state") { wrong.delivery.state == .retrying }
        #expect(wrong.delivery.code == .http)
        #expect(await Self.notices(of: wrong).map(\.code) == [8])
        server.stop()
    }

    @Test func deadLetter_isReported_andCounted() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in
            [response("400 Bad Request", #"{"error":{"code":"bad_tag","message":"no"}}"#)]
        }
        let session = try Self.session(
            in: folder, collector: server.base + "/", clock: ManualClock(jumps: true))
        session.sendID3("www.nielsen.com/a")
        try await wait(for: "the dead letter") { session.delivery.deadLetters == 1 }
        let notices = await Self.notices(of: session)
        server.stop()
        #expect(notices.map(\.text) == ["\(server.base)/ has refused 1 tag permanently: bad_tag"])
    }

    /// The hold of an earlier launch lasts 15 minutes.
    ///
    /// The clock does not advance, so only an immediate attempt delivers the tag.
    @Test(arguments: ["401 Unauthorized", "503 Service Unavailable"])
    func launch_triesImmediately_despiteHoldOrBackoffOfEarlierLaunch(status: String) async throws {
        let folder = try TemporaryFolder()
        let attempts = Counter()
        let server = try LoopbackServer { _ in
            [attempts.next() == 1 ? response(status, headers: ["Retry-After: 600"]) : Self.receipt]
        }
        let clock = ManualClock()
        await Self.storeTag(in: folder, clock: clock)
        let first = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        try await wait(for: "the problem") { first.delivery.code == .httpStatus }
        await first.finish()
        let second = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        try await wait(for: "the delivery") { second.bufferTotals?.delivered == 1 }
        #expect(await Self.notices(of: second).isEmpty)
        server.stop()
    }

    /// The clock does not advance, so the uploader waits for its interval.
    @Test func delivery_whileTagsWaitForTheInterval_isNotIdle() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [Self.receipt] }
        let clock = ManualClock()
        await Self.storeTag(in: folder, clock: clock)
        let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        try await wait(for: "the delivery") { session.bufferTotals?.delivered == 1 }
        try await wait(for: "the state") { session.delivery == SessionDelivery(.idle) }
        session.sendID3("www.nielsen.com/b")
        #expect(session.delivery == SessionDelivery(.sending))
        #expect(await session.flush())
        #expect(session.delivery == SessionDelivery(.sending))
        session.appInBackground()
        try await wait(for: "the delivery") { session.bufferTotals?.delivered == 2 }
        try await wait(for: "the state") { session.delivery == SessionDelivery(.idle) }
        // Held tags do not wait for the collector.
        session.play(["channelName": "One"])
        #expect(session.sendID3("www.nielsen.com/c", mediaTime: 100).outcome == .held)
        #expect(await session.flush())
        #expect(session.delivery == SessionDelivery(.idle))
        await session.finish()
        server.stop()
    }

    /// The folder cannot be created, so the tags end with the session.
    @Test func finish_withTagsThatNeverReachedTheDisk_reportsNoneAsWaiting() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.path + "/store"))
        let session = MeasurementSession(options: SessionOptions(directory: folder.path + "/store"))
        for number in 0..<3 { session.sendID3("www.nielsen.com/\(number)") }
        #expect(await session.finish() == false)
        let ending = try #require(session.ending)
        #expect(ending.waiting == 0 && ending.delivered == 0 && !ending.isStored)
    }

    /// The uploader ends with the last session of the folder, and the buffer is free.
    @Test func session_releasedWithoutFinish_freesItsFolder() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        await Self.storeTag(in: folder, clock: clock)
        do {
            let session = try Self.session(in: folder, collector: "http://127.0.0.1:9/", clock: clock)
            session.sendID3("www.nielsen.com/b")
            #expect(await session.flush())
            try await wait(for: "the uploader") { session.delivery.state == .retrying }
        }
        try await wait(
            for: "the buffer", within: .seconds(60),
            asking: {
                do throws(StoreError) {
                    try await TagBuffer.open(directory: folder.path + "/store").close()
                    return true
                } catch {
                    return false
                }
            })
    }

    @Test(.timeLimit(.minutes(30))) func finish_reportsDeliveredAndWaitingCounts() async throws {
        let folder = try TemporaryFolder()
        let attempts = Counter()
        let server = try LoopbackServer { _ in
            [attempts.next() == 1 ? Self.receipt : response("503 Service Unavailable")]
        }
        let clock = ManualClock()
        await Self.storeTag(in: folder, clock: clock)
        for launch in 1...2 {
            let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
            #expect(session.ending == nil)
            if launch == 1 {
                try await wait(for: "the delivery") { session.bufferTotals?.delivered == 1 }
            }
            session.sendID3("www.nielsen.com/b\(launch)")
            #expect(await session.flush())
            // Sends at once, without waiting for the interval.
            session.appInBackground()
            try await wait(for: "the problem") { session.delivery.code == .httpStatus }
            #expect(await session.finish())
            let ending = try #require(session.ending)
            #expect(ending.isStored && ending.delivered == (launch == 1 ? 1 : 0))
            #expect(ending.waiting == Int64(launch) && ending.delivery.state == .retrying)
            // A second call changes nothing.
            #expect(await session.finish() == false)
            #expect(session.ending == ending)
        }
        server.stop()
    }

    @Test func session_withoutCollector_reportsWhyDeliveryIsOff() async throws {
        let folder = try TemporaryFolder()
        let none = MeasurementSession(options: SessionOptions(directory: folder.path + "/none"))
        #expect(
            none.delivery == SessionDelivery(.off, reason: "the options of the session name no configuration")
        )
        await none.finish()

        // A player that hands over tags without initializing the session.
        var options = SessionOptions(directory: folder.path + "/tags")
        options.configuration = .file(path: folder.path + "/configuration.json")
        let session = MeasurementSession(options: options)
        session.sendID3("www.nielsen.com/a")
        #expect(await session.flush())
        #expect(
            session.delivery
                == SessionDelivery(
                    .off,
                    reason:
                        "the session is not initialized with an app id, so its configuration is not loaded"))
        await session.finish()
    }
}
