import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PlayerSession

/// `deliver(within:)`: the stored tags are sent before the app ends, with their numbers.
///
/// The collectors are on the loopback interface, and the clock advances only where a test says so.
@Suite(.timeLimit(.minutes(30))) struct DeliverWithinTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    /// Returns a session that delivers only its tags, to an address, and does so once an hour by itself.
    private static func session(
        in folder: TemporaryFolder, collector: String?, clock: ManualClock
    ) throws -> MeasurementSession {
        let file = folder.path + "/configuration.json"
        let collectors = collector.map { #""us":"\#($0)""# } ?? ""
        try #"{"collectors":{\#(collectors)},"uploadInterval":3600,"records":"tags"}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        let session = MeasurementSession(options: options, clock: clock)
        session.initialize(appInfo)
        return session
    }

    /// The receipt for the batch of a request, which must not be compressed: a line for the header and for each tag.
    private static func receipt(for request: LoopbackServer.Request) -> LoopbackServer.Step {
        guard !request.header.lowercased().contains("content-encoding") else {
            return response(
                "415 Unsupported Media Type", #"{"error":{"code":"unsupported_encoding","message":"no"}}"#)
        }
        let count = request.body.split(separator: "\n").count - 1
        return response("200 OK", #"{"accepted":\#(count),"duplicate":0,"rejected":[]}"#)
    }

    /// The receipt for a batch of one tag.
    private static let receiptOfOne = response("200 OK", #"{"accepted":1,"duplicate":0,"rejected":[]}"#)

    /// A collector whose answers wait until the test releases them.
    private final class SlowCollector: Sendable {
        private let isReleased = Mutex(false)
        func release() { isReleased.withLock { $0 = true } }
        func waitForRelease() { while !isReleased.withLock({ $0 }) { usleep(1_000) } }
    }

    /// Returns what a call returns while the clock advances in steps of 50 ms.
    ///
    /// - Parameter state: the state of the delivery in which the clock advances; nil for any.
    private static func result(
        of session: MeasurementSession, within limit: Duration, _ clock: ManualClock,
        advancingIn state: SessionDelivery.State? = nil
    ) async throws -> SessionDelivered {
        let result = Mutex<SessionDelivered?>(nil)
        let task = Task {
            let delivered = await session.deliver(within: limit)
            result.withLock { $0 = delivered }
        }
        try await wait(for: "the result") {
            if state.map({ $0 == session.delivery.state }) ?? true { clock.advance(by: .milliseconds(50)) }
            return result.withLock { $0 != nil }
        }
        await task.value
        return try #require(result.withLock { $0 })
    }

    /// Waits until the uploader of a session sleeps, so that it sends nothing by itself.
    private static func begin(_ session: MeasurementSession, _ clock: ManualClock) async throws {
        #expect(await session.flush())
        try await wait(for: "the uploader") { session.delivery.state == .idle && clock.sleeperCount > 0 }
    }

    @Test func storedTags_areDeliveredAtOnce_andCounted() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { [Self.receipt(for: $0)] }
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        try await Self.begin(session, clock)
        session.sendID3("www.nielsen.com/a")
        session.sendID3("www.nielsen.com/b")
        let result = await session.deliver(within: .seconds(5))
        #expect(result.isComplete && result.delivered == 2 && result.waiting == 0 && result.held == 0)
        #expect(result.delivery == SessionDelivery(.idle))
        // Nothing is left for a second call.
        let again = await session.deliver(within: .seconds(5))
        #expect(again.isComplete && again.delivered == 0 && again.waiting == 0)
        #expect(clock.sinceBoot == .seconds(5_000))
        await session.finish()
        let late = await session.deliver(within: .seconds(5))
        #expect(!late.isComplete && late.delivered == 0 && late.waiting == 0)
        #expect(late.delivery == SessionDelivery(.off, reason: "the session has ended"))
        server.stop()
    }

    @Test func heldTags_stayHeld() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { [Self.receipt(for: $0)] }
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        session.play(["channelName": "One"])
        #expect(session.sendID3("www.nielsen.com/later", mediaTime: 100).outcome != .invalid)
        session.sendID3("www.nielsen.com/now")
        let result = await session.deliver(within: .seconds(5))
        #expect(result.isComplete && result.delivered == 1 && result.waiting == 1 && result.held == 1)
        await session.finish()
        server.stop()
    }

    @Test func session_withoutCollector_writesItsTags_andDoesNotWait() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: nil, clock: clock)
        session.sendID3("www.nielsen.com/a")
        let result = await session.deliver(within: .seconds(3_600))
        #expect(!result.isComplete && result.delivered == 0 && result.waiting == 1)
        #expect(result.delivery.state == .off && result.delivery.reason != nil)
        #expect(session.storage.accepted == 1 && clock.sinceBoot == .seconds(5_000))
        await session.finish()
    }

    @Test func unreachableCollector_isTriedUntilTheTimeIsOver() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: "http://127.0.0.1:9/", clock: clock)
        session.sendID3("www.nielsen.com/a")
        let result = try await Self.result(of: session, within: .seconds(3), clock, advancingIn: .retrying)
        #expect(!result.isComplete && result.delivered == 0 && result.waiting == 1)
        #expect(result.delivery.state == .retrying && result.delivery.code == .network)
        await session.finish()
    }

    /// An operator must fix the token, so the app does not wait, and the clock stands still.
    @Test func refusedToken_isReturnedAtOnce() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [response("401 Unauthorized")] }
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        session.sendID3("www.nielsen.com/a")
        for _ in 0..<2 {
            let result = await session.deliver(within: .seconds(3_600))
            #expect(!result.isComplete && result.waiting == 1)
            #expect(result.delivery.state == .held && result.delivery.code == .httpStatus)
        }
        #expect(server.requests.count >= 2 && clock.sinceBoot == .seconds(5_000))
        await session.finish()
        server.stop()
    }

    @Test func collector_thatRecoversInTime_receivesTheTags() async throws {
        let folder = try TemporaryFolder()
        let attempts = Counter()
        let server = try LoopbackServer { request in
            [attempts.next() <= 2 ? response("503 Service Unavailable") : Self.receipt(for: request)]
        }
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        session.sendID3("www.nielsen.com/a")
        let result = try await Self.result(
            of: session, within: .seconds(3_600), clock, advancingIn: .retrying)
        #expect(result.isComplete && result.delivered == 1 && result.waiting == 0)
        await session.finish()
        server.stop()
    }

    @Test func slowCollector_endsTheCallInTime_andTheAttemptContinues() async throws {
        let folder = try TemporaryFolder()
        let slow = SlowCollector()
        let server = try LoopbackServer { _ in
            slow.waitForRelease()
            return [Self.receiptOfOne]
        }
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        session.sendID3("www.nielsen.com/a")
        let result = try await Self.result(of: session, within: .seconds(2), clock, advancingIn: .sending)
        #expect(!result.isComplete && result.delivered == 0 && result.waiting == 1)
        #expect(result.delivery.state == .sending)
        slow.release()
        try await wait(for: "the delivery") { session.bufferTotals?.delivered == 1 }
        #expect(server.requests.count == 1)
        await session.finish()
        server.stop()
    }

    @Test(arguments: [Duration.zero, .milliseconds(-1), .seconds(-Int64.max)])
    func callWithoutTime_startsAnAttempt_andDoesNotWait(limit: Duration) async throws {
        let folder = try TemporaryFolder()
        let slow = SlowCollector()
        let server = try LoopbackServer { request in
            slow.waitForRelease()
            return [Self.receipt(for: request)]
        }
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: server.base + "/", clock: clock)
        try await Self.begin(session, clock)
        session.sendID3("www.nielsen.com/a")
        #expect(await session.flush())
        let result = try await Self.result(of: session, within: limit, clock)
        #expect(!result.isComplete && result.delivered == 0 && result.waiting == 1)
        slow.release()
        // The interval of an hour has not passed.
        try await wait(for: "the delivery") { session.bufferTotals?.delivered == 1 }
        #expect(clock.sinceBoot < .seconds(5_600))
        await session.finish()
        server.stop()
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1 << 40), .seconds(3_153_600_000)])
    func hugeLimit_waitsForTheDelivery(limit: Duration) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { [Self.receipt(for: $0)] }
        let session = try Self.session(in: folder, collector: server.base + "/", clock: ManualClock())
        session.sendID3("www.nielsen.com/a")
        let result = await session.deliver(within: limit)
        #expect(result.isComplete && result.delivered == 1)
        await session.finish()
        server.stop()
    }

    @Test func twoSessionsOfAFolder_deliverTheTagsOfBoth() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { [Self.receipt(for: $0)] }
        let clock = ManualClock()
        let sessions = try (0..<2).map { _ in
            try Self.session(in: folder, collector: server.base + "/", clock: clock)
        }
        for session in sessions { try await Self.begin(session, clock) }
        for (index, session) in sessions.enumerated() { session.sendID3("www.nielsen.com/\(index)") }
        for session in sessions { #expect(await session.flush()) }
        async let first = sessions[0].deliver(within: .seconds(5))
        async let second = sessions[1].deliver(within: .seconds(5))
        let results = await [first, second]
        #expect(results.allSatisfy { $0.isComplete && $0.waiting == 0 && (0...2).contains($0.delivered) })
        #expect(sessions[0].bufferTotals?.delivered == 2)
        // The other session still delivers.
        await sessions[0].finish()
        sessions[1].sendID3("www.nielsen.com/last")
        let last = await sessions[1].deliver(within: .seconds(5))
        #expect(last.isComplete && last.delivered == 1 && last.waiting == 0)
        await sessions[1].finish()
        server.stop()
    }

    /// The collector refuses the tag permanently, so nothing is left to deliver.
    @Test func refusedTag_leavesNothingToDeliver() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in
            [response("400 Bad Request", #"{"error":{"code":"bad_tag","message":"no"}}"#)]
        }
        let session = try Self.session(in: folder, collector: server.base + "/", clock: ManualClock())
        session.sendID3("www.nielsen.com/a")
        let result = await session.deliver(within: .seconds(5))
        #expect(result.isComplete && result.delivered == 0 && result.waiting == 0)
        #expect(result.delivery.deadLetters == 1)
        await session.finish()
        server.stop()
    }

    @Test func cancelledTask_doesNotWait() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [.hang] }
        let session = try Self.session(in: folder, collector: server.base + "/", clock: ManualClock())
        session.sendID3("www.nielsen.com/a")
        #expect(await session.flush())
        let task = Task { await session.deliver(within: .seconds(3_600)) }
        try await wait(for: "the request") { server.requests.count == 1 }
        task.cancel()
        let result = await task.value
        #expect(!result.isComplete && result.waiting == 1)
        await session.finish()
        server.stop()
    }

    /// Calls during the wait for the configuration are delivered as well, if it arrives in time.
    @Test func missingConfiguration_endsTheCallInTime() async throws {
        let folder = try TemporaryFolder()
        let slow = SlowCollector()
        let server = try LoopbackServer { _ in
            slow.waitForRelease()
            return [response("404 Not Found")]
        }
        let clock = ManualClock()
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .url(server.base + "/configuration.json")
        let session = MeasurementSession(options: options, clock: clock)
        session.initialize(Self.appInfo)
        session.sendID3("www.nielsen.com/a")
        let result = try await Self.result(of: session, within: .seconds(2), clock)
        #expect(!result.isComplete && result.delivered == 0 && result.delivery.state == .off)
        slow.release()
        await session.finish()
        server.stop()
    }
}
