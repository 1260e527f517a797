import Foundation
import NielsenID3
import TagDelivery
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// A session with a real buffer.
///
/// Accepted tags are on the disk, for any calls and in any state of the disk.
@Suite(.timeLimit(.minutes(30))) struct MeasurementSessionTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    private static func tag(_ name: String) -> String { "www.nielsen.com/\(name)" }

    @Test func tags_ofSession_areBufferedInOrder() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(
            appInfo: Self.appInfo, options: SessionOptions(directory: folder.path))
        session.play(["channelName": "One"])
        session.loadMetadata(["type": "content", "assetid": "A"])
        for number in 0..<100 { session.sendID3(Self.tag("\(number)")) }
        #expect(await session.flush())
        #expect(session.counts.stored == 100 && session.storage.accepted == 100)
        #expect(session.bufferTotals?.inStore == 102)
        await session.finish()
        let places = try await folder.storedPlaces()
        #expect(places.map(\.order) == (0..<100).map { UInt64($0) })
        #expect(places.allSatisfy { $0.channel == "One" && $0.asset == "A" && $0.assetType == "content" })
        #expect(Set(places.map(\.id)).count == 1)
    }

    /// No call from several threads is lost.
    @Test func calls_fromTenThreads_areAllHandled() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(
            appInfo: Self.appInfo, options: SessionOptions(directory: folder.path))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<10 {
                group.addTask {
                    for number in 0..<100 {
                        session.sendID3(Self.tag("\(thread)/\(number)"), mediaTime: Double(number))
                        session.playheadPosition(Double(number))
                    }
                }
            }
        }
        #expect(await session.flush())
        let counts = session.counts
        #expect(counts.isConserved && counts.handed == 1_000)
        #expect(session.storage.accepted == counts.stored)
        await session.finish()
        #expect(try await folder.storedPlaces().count == counts.stored)
    }

    @Test func sessions_ofOneFolder_shareItsBuffer() async throws {
        let folder = try TemporaryFolder()
        let options = SessionOptions(directory: folder.path)
        let sessions = (0..<3).map { _ in MeasurementSession(appInfo: Self.appInfo, options: options) }
        for (number, session) in sessions.enumerated() { session.sendID3(Self.tag("\(number)")) }
        for session in sessions { #expect(await session.flush()) }
        #expect(sessions[0].bufferTotals?.inStore == 6)
        for session in sessions { await session.finish() }
        let places = try await folder.storedPlaces()
        #expect(Set(places.map(\.id)).count == 3 && places.allSatisfy { $0.order == 0 })
    }

    /// The error names the process that owns the buffer.
    ///
    /// Queued tags are written once the folder is free.
    @Test func session_whileTheBufferIsInUse_namesItsOwner_andWaits() async throws {
        let folder = try TemporaryFolder()
        let owner = try await TagBuffer.open(directory: folder.path)
        let session = MeasurementSession(
            appInfo: Self.appInfo, options: SessionOptions(directory: folder.path))
        session.sendID3(Self.tag("a"))
        #expect(await session.flush() == false)
        #expect(session.lastError?.code == SessionErrorCode.database.rawValue)
        #expect(session.lastError?.text.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
        #expect(session.storage.queued == 1 && session.counts.stored == 1)
        await owner.close()
        try await wait(for: "the folder", asking: { session.storage.accepted == 1 })
        await session.finish()
        #expect(try await folder.storedPlaces().count == 1)
    }

    /// A buffer that refuses new tags when it is full says so once.
    @Test func bufferThatRefusesNewTags_isReportedOnce() async throws {
        let folder = try TemporaryFolder()
        var options = SessionOptions(directory: folder.path)
        options.store.maximumByteCount = 2_000_000
        options.store.fullPolicy = .refuseNewest
        let session = MeasurementSession(options: options)
        await session.waitUntilReady()
        var count = 0
        while session.storage.lost == 0, count < 5_000 {
            for _ in 0..<100 {
                // Text that compression hardly makes shorter.
                let filler = (0..<200).map { _ in TagID.random().text }.joined()
                session.sendID3(Self.tag(filler))
            }
            count += 100
            await session.flush()
        }
        #expect(session.storage.lost > 0 && session.lastError?.code == SessionErrorCode.fileWrite.rawValue)
        #expect(session.lastError?.text == "the buffer is full and refuses new tags")
        await session.finish()
        var errorCount = 0
        for await notice in session.notifications where notice.kind == .error { errorCount += 1 }
        #expect(errorCount == 1)
    }

    /// The path of the folder is a file, so the session cannot store a tag.
    ///
    /// The error is not repeated for each tag, and tags beyond the memory limit are counted as lost.
    @Test func unwritableFolder_isNotReportedForEachTag_andLossesAreCounted() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        try Data().write(to: URL(filePath: path))
        let session = MeasurementSession(appInfo: Self.appInfo, options: SessionOptions(directory: path))
        await session.waitUntilReady()
        let filler = String(repeating: "x", count: 30_000)
        for number in 0..<200 { session.sendID3(Self.tag("\(number)/\(filler)")) }
        #expect(await session.flush() == false)
        let storage = session.storage
        #expect(session.counts.stored == 200 && storage.accepted == 0)
        #expect(storage.lost > 0 && storage.queued + storage.lost == 200)
        #expect(storage.queued * 30_000 <= WriteQueue<SessionRecord>.maximumByteCount)
        await session.finish()
        var errors: [Int] = []
        for await notification in session.notifications where notification.kind == .error {
            errors.append(notification.code)
        }
        #expect(errors.filter { $0 == SessionErrorCode.fileWrite.rawValue }.count <= 2 && !errors.isEmpty)
    }

    @Test func notifications_reachStreamAndDelegate() async throws {
        final class Listener: MeasurementSessionDelegate {
            let heard = Counter()
            func session(_ session: MeasurementSession, didNotify notification: SessionNotification) {
                _ = heard.next()
            }
        }
        let folder = try TemporaryFolder()
        let session = MeasurementSession(options: SessionOptions(directory: folder.path))
        let listener = Listener()
        session.delegate = listener
        await session.waitUntilReady()
        #expect(session.initialize(Self.appInfo).state == .idle)
        #expect(session.sendID3("").code == .id3Data)
        #expect(session.play("{").code == .playJSON)
        await session.finish()
        var codes: [Int] = []
        for await notification in session.notifications { codes.append(notification.code) }
        #expect(codes == [2_001, 3, 2_201, 1, 2_201, 2_002])
        #expect(listener.heard.next() == 7)
        #expect(session.lastEvent?.code == 2_002 && session.lastError?.code == 1)
    }

    // MARK: The user's choice, and ids

    @Test func optOut_persistsAcrossLaunches() async throws {
        let folder = try TemporaryFolder()
        let options = SessionOptions(directory: folder.path)
        var session = MeasurementSession(appInfo: Self.appInfo, options: options)
        await session.waitUntilReady()
        let device = try #require(session.deviceID)
        #expect(session.firstPartyID?.count == 32)
        #expect(session.userOptOut("nielsenappsdk://1") && session.optOutStatus)
        #expect(session.deviceID == nil && session.firstPartyID == nil)
        #expect(!session.userOptOut("https://example.com/"))
        try await wait(for: "the file") {
            let bytes = FileManager.default.contents(atPath: folder.path + "/player.json")
            return bytes.map { String(decoding: $0, as: UTF8.self).contains(#""opted_out":true"#) } ?? false
        }
        await session.finish()
        session = MeasurementSession(appInfo: Self.appInfo, options: options)
        // The first tag of the next launch comes before the identity file has been read.
        session.sendID3(Self.tag("a"))
        #expect(await session.flush())
        await session.waitUntilReady()
        #expect(session.counts.discarded == 1 && session.counts.stored == 0)
        #expect(session.userOptOut("nielsenappsdk://0"))
        #expect(session.deviceID == device)
        await session.finish()
    }

    @Test func firstPartyID_lasts180Days_andIsErasedIfNotWanted() throws {
        let day: Int64 = 86_400_000
        var identity = SessionIdentity(now: .steady(1))
        let first = try #require(identity.firstPartyID)
        var isChanged = identity.renew(wantsFirstPartyID: true, now: .steady(180 * day))
        #expect(!isChanged && identity.firstPartyID == first)
        isChanged = identity.renew(wantsFirstPartyID: true, now: .steady(180 * day + 1))
        #expect(isChanged && identity.firstPartyID != first)
        // If the clock was set back, the id is replaced too.
        isChanged = identity.renew(wantsFirstPartyID: true, now: .steady(1))
        #expect(isChanged)
        isChanged = identity.renew(wantsFirstPartyID: false, now: .steady(1))
        #expect(isChanged && identity.firstPartyID == nil)
        isChanged = identity.renew(wantsFirstPartyID: false, now: .steady(2))
        #expect(!isChanged)
        #expect(SessionIdentity(json: identity.json) == identity)
    }

    /// The age of an id is unknown while the wall clock is untrusted, and if the clock was untrusted when the id was
    /// made.
    @Test func firstPartyID_ofUnknownAge_isRetained() throws {
        let day: Int64 = 86_400_000
        var identity = SessionIdentity(now: .steady(day))
        let first = identity.firstPartyID
        var isChanged = identity.renew(wantsFirstPartyID: true, now: .steady(1_000 * day, isTrusted: false))
        #expect(!isChanged)
        isChanged = identity.renew(wantsFirstPartyID: true, now: .steady(0, isTrusted: false))
        #expect(!isChanged && identity.firstPartyID == first)
        identity = SessionIdentity(now: .steady(1, isTrusted: false))
        let second = identity.firstPartyID
        let read = try #require(SessionIdentity(json: identity.json))
        #expect(read == identity)
        isChanged = identity.renew(wantsFirstPartyID: true, now: .steady(1_000 * day))
        #expect(isChanged && identity.firstPartyID == second)
        isChanged = identity.renew(wantsFirstPartyID: true, now: .steady(1_180 * day - 1))
        #expect(!isChanged)
        isChanged = identity.renew(wantsFirstPartyID: true, now: .steady(1_180 * day))
        #expect(isChanged && identity.firstPartyID != second)
    }

    /// No time in an identity file stops a session.
    @Test(arguments: ["-9223372036854775808", "9223372036854775000", "1e400", "0", "null", "-1"])
    func firstPartyID_withExtremeTime_isRetainedOrReplaced(made: String) throws {
        let id = TagID.random().text
        let json = #"{"nuid":"\#(id)","fpid":"\#(id)","fpid_made":\#(made),"opted_out":false}"#
        guard var identity = SessionIdentity(json: Array(json.utf8)) else { return }
        for wall in [.min, 0, .max] as [Int64] {
            _ = identity.renew(wantsFirstPartyID: true, now: .steady(wall))
            #expect(identity.firstPartyID != nil)
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func firstPartyID_after180Days_isReplacedAtTheNextStart() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        func firstPartyID() async throws -> String? {
            let session = MeasurementSession(options: SessionOptions(directory: folder.path), clock: clock)
            session.initialize(Self.appInfo)
            #expect(await session.flush())
            let id = session.firstPartyID
            await session.finish()
            return id
        }
        let first = try #require(try await firstPartyID())
        clock.advance(by: .seconds(180 * 86_400 - 1))
        #expect(try await firstPartyID() == first)
        clock.advance(by: .seconds(1))
        let second = try #require(try await firstPartyID())
        #expect(second != first)
        // The new id is on the disk, and has the same lifetime.
        clock.advance(by: .seconds(86_400))
        #expect(try await firstPartyID() == second)
    }

    @Test func damagedIdentity_isRejectedOrHasAValidID() {
        let json = SessionIdentity(now: .steady(5)).json
        for length in 0..<json.count - 2 { #expect(SessionIdentity(json: Array(json[..<length])) == nil) }
        for index in json.indices {
            var damaged = json
            damaged[index] ^= 0x15
            if let read = SessionIdentity(json: damaged) { #expect(TagID(text: read.nuid) != nil) }
        }
        #expect(SessionIdentity(json: [UInt8](repeating: 0x20, count: 5_000)) == nil)
    }
}
