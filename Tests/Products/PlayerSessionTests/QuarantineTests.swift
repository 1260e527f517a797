import Foundation
import HostSystem
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// Tags of an app whose information is unreadable: stored, and not delivered before a readable `init`, because the
/// information may have held an opt-out.
@Suite(.timeLimit(.minutes(30))) struct QuarantineTests {
    private static let unreadable: [MetadataValue] = [
        nil, "", "{", "[]", [], [:], 7, "{\"optout\":\"true\"", ["appname": "App"], ["appid": ""],
    ]

    private static func tag(_ name: String) -> String { "www.nielsen.com/\(name)" }

    /// Begins a session whose tag and asset are quarantined, and ends it, as a launch of the app does.
    private static func launch(_ appInfo: MetadataValue, in folder: String, tag: String) async {
        let session = MeasurementSession(appInfo: appInfo, options: SessionOptions(directory: folder))
        await session.waitUntilReady()
        #expect(session.lastError?.code == SessionErrorCode.appID.rawValue && session.state == .initial)
        session.play(["channelName": "One"])
        session.loadMetadata(["type": "content", "assetid": "A"])
        let result = session.sendID3(Self.tag(tag))
        #expect(result.outcome == .stored && result.findings.contains(.tagQuarantined))
        #expect(await session.finish())
        #expect(session.counts.stored == 1)
    }

    private static func totals(of folder: String) async throws -> StoreTotals {
        let buffer = try await TagBuffer.open(directory: folder)
        defer { Task { await buffer.close() } }
        return buffer.totals()
    }

    @Test(arguments: unreadable)
    func tag_afterUnreadableInformation_isStored_andDeliveredAfterAReadableOne(
        appInfo: MetadataValue
    ) async throws {
        let folder = try TemporaryFolder()
        await Self.launch(appInfo, in: folder.path, tag: "1")
        #expect(try await SharedFolderTests.owners(in: folder.path) == [])
        // The next launches do not change that while their information is unreadable, or comes later.
        await Self.launch(appInfo, in: folder.path, tag: "2")
        let uninitialized = MeasurementSession(options: SessionOptions(directory: folder.path))
        uninitialized.sendID3(Self.tag("3"))
        #expect(await uninitialized.finish())
        #expect(try await SharedFolderTests.owners(in: folder.path) == [Self.tag("3")])

        let session = MeasurementSession(
            appInfo: ["appid": "T1"], options: SessionOptions(directory: folder.path))
        #expect(await session.finish())
        let owners = try await SharedFolderTests.owners(in: folder.path)
        #expect(owners == ["1", "2", "3"].map(Self.tag))
        #expect(try await Self.totals(of: folder.path).losses.total == 0)
    }

    /// The user's choice comes with the readable information, or was made before or after the tag.
    @Test(arguments: ["with init", "before the tag", "after the tag", "in another launch"])
    func tag_ofAUserWhoHasOptedOut_isDeletedAndCounted(choice: String) async throws {
        let folder = try TemporaryFolder()
        if choice == "in another launch" {
            await Self.launch("{", in: folder.path, tag: "0")
            let other = MeasurementSession(options: SessionOptions(directory: folder.path))
            other.userOptOut("nielsenappsdk://1")
            #expect(await other.finish())
        }
        let session = MeasurementSession(appInfo: "{", options: SessionOptions(directory: folder.path))
        if choice == "before the tag" { session.userOptOut("nielsenappsdk://1") }
        session.sendID3(Self.tag("1"))
        if choice == "after the tag" { session.userOptOut("nielsenappsdk://1") }
        session.initialize(["appid": "T1", "optout": choice == "with init" ? "true" : nil])
        session.sendID3(Self.tag("2"))
        #expect(await session.finish())
        #expect(try await SharedFolderTests.owners(in: folder.path).isEmpty)
        let totals = try await Self.totals(of: folder.path)
        #expect(totals.inStore == 0)
        #expect(totals.losses.pruned == (choice == "before the tag" ? 0 : totals.accepted))
    }

    /// A tag that waits for the playhead when the information is unreadable stays held after a readable one.
    @Test func tagThatWaitsForItsPlayhead_staysHeld_andKeepsItsPresentation() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(appInfo: "{", options: SessionOptions(directory: folder.path))
        session.play(["channelName": "One"])
        session.call(SessionCall(.setPlayheadPosition, [10]))
        #expect(session.call(SessionCall(.sendID3, [.text(Self.tag("1")), 12])).outcome != .discarded)
        #expect(session.call(SessionCall(.sendID3, [.text(Self.tag("2")), 20])).outcome != .discarded)
        session.call(SessionCall(.setPlayheadPosition, [13]))
        session.initialize(["appid": "T1"])
        session.call(SessionCall(.setPlayheadPosition, [20]))
        #expect(await session.finish())
        let buffer = try await TagBuffer.open(directory: folder.path)
        let presented = try await buffer.nextBatch(maximumCount: 100, maximumByteCount: .max)
            .compactMap { try $0.occurrence() }.map { occurrence in
                if case .session(let place, _) = occurrence.origin { place.isPresented } else { false }
            }
        await buffer.close()
        #expect(presented == [true, true])
    }
}
