import CollectorService
import Foundation
import TestSupport
import Testing

@testable import PlayerSession

/// The times at which a session sends its tags to the collector of its configuration, and the token that it sends.
@Suite(.timeLimit(.minutes(30))) struct ConfiguredDeliveryTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    /// Returns a session whose configuration names a collector and limits the delivery to tags, with further members.
    private static func session(
        in folder: TemporaryFolder, collector: String, _ members: String, clock: ManualClock
    ) throws -> MeasurementSession {
        let file = folder.path + "/configuration.json"
        try #"{"collectors":{"us":"\#(collector)"},"records":"tags"\#(members)}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        let session = MeasurementSession(options: options, clock: clock)
        session.initialize(appInfo)
        return session
    }

    @Test(arguments: [nil, "t-1", "t-2"] as [String?])
    func configuredToken_isSentWithEachBatch(token: String?) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { request in
            let count = request.body.split(separator: "\n").count - 1
            return [response("200 OK", #"{"accepted":\#(count),"duplicate":0,"rejected":[]}"#)]
        }
        let members = token.map { #","token":"\#($0)""# } ?? ""
        let session = try Self.session(
            in: folder, collector: server.base + "/", members, clock: ManualClock(jumps: true))
        session.sendID3("www.nielsen.com/a")
        try await wait(for: "a batch") { !server.requests.isEmpty }
        await session.finish()
        server.stop()
        #expect(server.requests.allSatisfy { $0.field("Authorization") == token.map { "Bearer \($0)" } })
    }

    @Test(arguments: [("", 1_000), (#","uploadInterval":7.5"#, 7_500)])
    func uploadInterval_isTheDelayBetweenBufferPolls(members: String, milliseconds: Int) async throws {
        let folder = try TemporaryFolder()
        let collector = try Collector(settings: CollectorSettings(folder: folder.path + "/collected"))
        let clock = ManualClock()
        let session = try Self.session(in: folder, collector: collector.url, members, clock: clock)
        #expect(await session.flush())
        // The uploader has nothing to send and sleeps; no other task does.
        await clock.waitForSleepers(1)
        session.sendID3("www.nielsen.com/a")
        #expect(await session.flush())
        clock.advance(by: .milliseconds(milliseconds - 1))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        try await wait(for: "the tag", asking: { collector.status.accepted == 1 })
        await session.finish()
        collector.stop()
    }

    /// The clock does not advance, so the delivery does not depend on the interval.
    @Test(arguments: [CallName.appInBackground, .processEvent])
    func enteringBackground_sendsPendingTagsImmediately(call: CallName) async throws {
        let folder = try TemporaryFolder()
        let collector = try Collector(settings: CollectorSettings(folder: folder.path + "/collected"))
        let clock = ManualClock()
        let session = try Self.session(
            in: folder, collector: collector.url, #","uploadInterval":3600"#, clock: clock)
        #expect(await session.flush())
        await clock.waitForSleepers(1)
        session.sendID3("www.nielsen.com/a")
        #expect(await session.flush())
        session.call(SessionCall(call, call == .processEvent ? ["blur"] : []))
        try await wait(for: "the tag", asking: { collector.status.accepted == 1 })
        await session.finish()
        collector.stop()
    }
}
