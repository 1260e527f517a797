import Foundation
import TestSupport
import Testing

@testable import PlayerSession

/// Tags of a user who has opted out, with a configuration that sends such tags.
///
/// The tests search every byte that reaches the collector.
@Suite(.timeLimit(.minutes(30))) struct OptedOutTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    /// Returns a collector that accepts every record but no compression, so that the tests can read the bytes.
    private static func collector() throws -> LoopbackServer {
        try LoopbackServer { request in
            guard request.field("Content-Encoding") == nil else {
                let error = #"{"error":{"code":"unsupported_encoding","message":""}}"#
                return [response("415 Unsupported Media Type", error)]
            }
            let count = request.body.split(separator: "\n").count - 1
            return [response("200 OK", #"{"accepted":\#(count),"duplicate":0,"rejected":[]}"#)]
        }
    }

    /// A received batch: its header and its records.
    private struct Batch {
        let header: [String: Any]
        let records: [[String: Any]]
        /// Every byte of the request.
        let text: String

        var store: String? { header["store"] as? String }
        var owners: [String] { records.compactMap { $0["owner"] as? String } }
    }

    private static func batches(of server: LoopbackServer) throws -> [Batch] {
        try server.requests.filter { $0.field("Content-Encoding") == nil }.map { request in
            let lines = try request.body.split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
            }
            return Batch(
                header: lines.first ?? [:], records: Array(lines.dropFirst()),
                text: request.header + request.body)
        }
    }

    private static func batch(with owner: String, at server: LoopbackServer) async throws -> Batch {
        let owner = "www.nielsen.com/\(owner)"
        try await wait(
            for: owner, asking: { try batches(of: server).contains { $0.owners.contains(owner) } })
        return try #require(try batches(of: server).first { $0.owners.contains(owner) })
    }

    private static func options(_ folder: TemporaryFolder, _ server: LoopbackServer) throws -> SessionOptions
    {
        let file = folder.path + "/configuration.json"
        try #"{"collectors":{"us":"\#(server.base)/"},"uploadInterval":0.1,"optedOut":"send"}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        return options
    }

    @Test func optOutChoice_inOneSession_appliesToAllSessionsOfItsFolder_andTheNextOne() async throws {
        let folder = try TemporaryFolder()
        let elsewhere = MeasurementSession(
            appInfo: Self.appInfo, options: SessionOptions(directory: folder.path + "/other"))
        let options = SessionOptions(directory: folder.path + "/store")
        let sessions = (0..<3).map { _ in MeasurementSession(appInfo: Self.appInfo, options: options) }
        for session in sessions + [elsewhere] {
            session.play(["channelName": "One"])
            await session.flush()
        }
        #expect(sessions[1].sendID3("www.nielsen.com/held", mediaTime: 30).outcome == .held)
        #expect(sessions[0].userOptOut("nielsenappsdk://1"))
        for session in sessions {
            #expect(session.optOutStatus && session.deviceID == nil && session.firstPartyID == nil)
            #expect(session.sendID3("www.nielsen.com/out").outcome == .discarded)
            #expect(session.counts.isConserved && session.counts.held == 0)
        }
        #expect(sessions[1].counts.flushed == 1)
        #expect(!elsewhere.optOutStatus && elsewhere.sendID3("www.nielsen.com/in").outcome == .stored)
        // A session that starts now must not depend on the file, which may not be written yet.
        let late = MeasurementSession(appInfo: Self.appInfo, options: options)
        await late.flush()
        #expect(late.optOutStatus)
        #expect(sessions[2].userOptOut("nielsenappsdk://0"))
        for session in sessions + [late] {
            #expect(session.sendID3("www.nielsen.com/in").outcome == .stored)
        }
        for session in sessions + [late, elsewhere] { await session.finish() }
    }

    /// The records of each session come from one buffer.
    private static func expectOneStorePerSession(at server: LoopbackServer) throws {
        let sessions = try batches(of: server).flatMap { batch in
            batch.records.compactMap { $0["session"] as? String }.map { ($0, batch.store) }
        }
        for (id, stores) in Dictionary(grouping: sessions, by: \.0) {
            #expect(Set(stores.map(\.1)).count == 1, "\(id)")
        }
    }

    @Test func tags_ofOptedOutUser_areMarked_andHaveNoIdentifyingID() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.collector()
        let options = try Self.options(folder, server)
        var session = MeasurementSession(appInfo: Self.appInfo, options: options)
        session.play(["channelName": "One"])
        session.sendID3("www.nielsen.com/in")
        let before = try await Self.batch(with: "in", at: server)
        let device = try #require(session.deviceID)
        let party = try #require(session.firstPartyID)
        let tagBefore = try #require(before.records.first { $0["owner"] != nil })
        let sessionBefore = try #require(tagBefore["session"] as? String)
        #expect(tagBefore["opted_out"] == nil)

        #expect(session.userOptOut("nielsenappsdk://1"))
        session.sendID3("www.nielsen.com/out")
        session.sendID3("www.nielsen.com/held", mediaTime: 40)
        session.stop()
        _ = try await Self.batch(with: "held", at: server)
        await session.finish()
        // The opt-out period continues in the next launch.
        session = MeasurementSession(appInfo: Self.appInfo, options: options)
        session.sendID3("www.nielsen.com/launched")
        _ = try await Self.batch(with: "launched", at: server)
        #expect(session.counts.discarded == 0 && session.counts.isConserved)
        #expect(session.userOptOut("nielsenappsdk://0"))
        session.sendID3("www.nielsen.com/in-again")
        let after = try await Self.batch(with: "in-again", at: server)
        #expect(session.userOptOut("nielsenappsdk://1"))
        session.sendID3("www.nielsen.com/out-again")
        let last = try await Self.batch(with: "out-again", at: server)
        await session.finish()
        server.stop()

        let store = try #require(before.store)
        #expect(after.store == store && after.records.allSatisfy { $0["opted_out"] as? Bool != true })
        let out = try Self.batches(of: server).filter { $0.store != store }
        #expect(
            out.flatMap(\.owners)
                == ["out", "held", "launched", "out-again"].map { "www.nielsen.com/\($0)" })
        #expect(Set(out.compactMap(\.store)).count == 2 && out.last?.store == last.store)
        for batch in out {
            #expect(batch.records.allSatisfy { $0["opted_out"] as? Bool == true })
            for id in [device, party, store, sessionBefore] { #expect(!batch.text.contains(id), "\(id)") }
            // The sequence numbers and losses of the buffer would identify it, and so the user.
            #expect(batch.header["first_seq"] as? Int == 1)
            #expect(batch.header["last_seq"] as? Int == batch.records.count)
            let losses = batch.header["losses"] as? [String: Int] ?? [:]
            #expect(losses.count == 6 && losses.values.allSatisfy { $0 == 0 })
        }
        // Neither id is sent for users who have not opted out.
        for batch in try Self.batches(of: server) {
            #expect(!batch.text.contains(device) && !batch.text.contains(party))
        }
        try Self.expectOneStorePerSession(at: server)
    }

    /// Saves a choice as another process that uses the folder does.
    private static func choose(isOut: Bool, in directory: String) throws {
        var change = SessionIdentity.Change()
        change.optedOutStore = .some(isOut ? "00000000000000000000000000000009" : nil)
        _ = try SessionIdentity.save(change, to: directory, orNew: SessionIdentity(now: .steady(1)))
    }

    @Test func choice_ofAnotherProcess_appliesFromTheNextTagOn() async throws {
        let folder = try TemporaryFolder()
        let options = SessionOptions(directory: folder.path)
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        let other = MeasurementSession(appInfo: Self.appInfo, options: options)
        session.play(["channelName": "One"])
        session.sendID3("www.nielsen.com/in")
        #expect(await session.flush())
        try Self.choose(isOut: true, in: folder.path)
        // The call is answered before the file is read.
        session.sendID3("www.nielsen.com/out")
        await session.flush()
        #expect(session.optOutStatus && other.optOutStatus)
        #expect(session.storage.accepted == 1 && session.storage.lost == 1)
        #expect(session.sendID3("www.nielsen.com/out").outcome == .discarded)
        // A new choice of this process is the newest one.
        #expect(session.userOptOut("nielsenappsdk://0"))
        #expect(await session.flush() == false)
        session.sendID3("www.nielsen.com/in-again")
        await session.flush()
        #expect(!session.optOutStatus && session.storage.accepted == 2)
        // A user who opts in elsewhere is measured again soon.
        session.userOptOut("nielsenappsdk://1")
        await session.flush()
        try Self.choose(isOut: false, in: folder.path)
        try await wait(for: "the choice") {
            session.sendID3("www.nielsen.com/waiting")
            return !session.optOutStatus
        }
        // Neither a damaged nor a missing file is a choice.
        try "{".write(toFile: folder.path + "/player.json", atomically: true, encoding: .utf8)
        #expect(session.sendID3("www.nielsen.com/damaged").outcome == .stored)
        await session.flush()
        try FileManager.default.removeItem(atPath: folder.path + "/player.json")
        #expect(session.sendID3("www.nielsen.com/missing").outcome == .stored)
        await session.flush()
        #expect(!session.optOutStatus)
        await session.finish()
        await other.finish()
        let owners = try await SharedFolderTests.owners(in: folder.path)
        #expect(!owners.contains("www.nielsen.com/out"))
        #expect(owners.contains("www.nielsen.com/missing") && owners.contains("www.nielsen.com/in-again"))
    }

    /// With `send`, the tags after the choice have the mark.
    @Test func choice_ofAnotherProcess_marksTagsThatAreSent() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.collector()
        let options = try Self.options(folder, server)
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        session.sendID3("www.nielsen.com/in")
        _ = try await Self.batch(with: "in", at: server)
        try Self.choose(isOut: true, in: options.directory)
        session.sendID3("www.nielsen.com/unmarked")
        await session.flush()
        session.sendID3("www.nielsen.com/out")
        let batch = try await Self.batch(with: "out", at: server)
        #expect(batch.records.allSatisfy { $0["opted_out"] as? Bool == true })
        await session.finish()
        server.stop()
        #expect(try Self.batches(of: server).allSatisfy { !$0.owners.contains("www.nielsen.com/unmarked") })
    }

    /// Without the key `optedOut`, or with the value `discard`, no tag of these users is stored.
    @Test(arguments: ["", #","optedOut":"discard""#])
    func tags_ofOptedOutUser_areDiscarded_unlessConfiguredToBeSent(member: String) throws {
        let text = #"{"uploadInterval":1\#(member)}"#
        let configuration = try SessionConfiguration(json: Array(text.utf8))
        #expect(!configuration.sendsOptedOut)
        var machine = SessionMachineTests.machine()
        machine.configure(configuration)
        let out = machine.handle(SessionCall(.userOptOut, ["nielsenappsdk://1"]), at: .zero)
        #expect(machine.choice.isOptedOut && out.effects.isEmpty)
        #expect(out.output.identity == IdentityRequest(optedOutStore: .some(machine.choice.store)))
        let step = machine.handle(SessionCall(.sendID3, ["www.nielsen.com/a"]), at: .zero)
        #expect(step.result.outcome == .discarded && step.writes.isEmpty && step.effects.isEmpty)
    }

    /// The choice in the app's information applies to the tags after it, and to the next launch.
    @Test(arguments: ["optout", "uoo", "optOut"], ["1", "true", "nielsenappsdk://1"])
    func choice_inTheAppInformation_isAppliedAndStored(key: String, value: String) async throws {
        let folder = try TemporaryFolder()
        let information: MetadataValue = .object([
            .init("appid", "T1"), .init(key, .text(value)),
        ])
        let session = MeasurementSession(
            appInfo: information, options: SessionOptions(directory: folder.path))
        session.sendID3("www.nielsen.com/a")
        #expect(await session.flush())
        #expect(session.optOutStatus && session.counts.discarded == 1 && session.counts.stored == 0)
        #expect(session.deviceID == nil && session.firstPartyID == nil)
        #expect(await session.finish())
        let next = MeasurementSession(options: SessionOptions(directory: folder.path))
        #expect(await next.flush())
        #expect(next.optOutStatus)
        #expect(await next.finish())
    }

    /// A file without the id states only that the user has opted out.
    @Test func optedOutIdentity_withoutStoreID_getsANewOne() throws {
        var identity = SessionIdentity(now: .steady(1))
        identity.optedOutStore = "00000000000000000000000000000001"
        let text = String(decoding: identity.json, as: UTF8.self)
        #expect(SessionIdentity(json: identity.json) == identity)
        let earlier = text.replacing(#","opted_out_store":"00000000000000000000000000000001""#, with: "")
        #expect(earlier != text)
        let read = try #require(SessionIdentity(json: Array(earlier.utf8)))
        #expect(read.optedOutStore?.count == 32 && read.optedOutStore != identity.optedOutStore)
        identity.optedOutStore = nil
        #expect(!String(decoding: identity.json, as: UTF8.self).contains("opted_out_store"))
    }
}
