import CollectorService
import Foundation
import Glibc
import NielsenID3
import TagDelivery
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// A session and its disk: the delay until a tag is on the disk, and the tags that the disk does not accept.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SessionDiskTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    private static func tag(_ number: Int) -> String { "www.nielsen.com/\(number)" }

    /// Returns a session with the system's clock, which retries a failed write after at most one second.
    private static func session(in folder: String) -> MeasurementSession {
        MeasurementSession(options: SessionOptions(directory: folder))
    }

    /// Returns the owner identifiers in a buffer that is not open, in order.
    private static func owners(in folder: String) async throws -> [String] {
        let buffer = try await TagBuffer.open(directory: folder)
        let tags = try await buffer.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
        await buffer.close()
        return try tags.compactMap { try $0.occurrence() }.map {
            String(decoding: $0.tag.ownerIdentifier, as: UTF8.self)
        }
    }

    /// Runs a closure with a folder on a separate small disk.
    private static func withDisk(
        byteCount: Int, _ body: (borrowing SmallDisk, _ store: String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        guard let disk = SmallDisk(at: folder.path, byteCount: byteCount) else {
            Issue.record("a file system that could be mounted before cannot be now")
            return
        }
        try await body(disk, folder.path + "/store")
        // The folder must exist until the disk that is mounted on it is unmounted.
        _ = consume disk
        withExtendedLifetime(folder) {}
    }

    // MARK: A tenth of a second

    /// No step between a call and the disk waits for the clock: each tag reaches the disk while the clock does not
    /// advance, and without a flush.
    @Test func tag_isWrittenToDisk_whileTheClockIsStopped() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let session = MeasurementSession(
            options: SessionOptions(directory: folder.path + "/store"), clock: clock)
        for number in 0..<5 {
            session.sendID3(Self.tag(number), mediaTime: number == 3 ? 100 : nil)
            try await wait(for: "tag \(number)", asking: { session.storage.accepted == number + 1 })
            // The copy is the state that another process would find if this one ended now.
            let copy = folder.path + "/copy\(number)"
            try FileManager.default.copyItem(atPath: folder.path + "/store", toPath: copy)
            let owners = try await Self.owners(in: copy)
            // The tag that is still held comes last, as not presented.
            #expect(Set(owners) == Set((0...number).map(Self.tag)))
        }
        #expect(clock.sleeps.isEmpty)
        await session.finish()
    }

    // MARK: Room

    @Test(.enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"))
    func diskFullAtStart_isReported_andTagsWaitForSpace() async throws {
        try await Self.withDisk(byteCount: 40_000_000) { disk, store in
            disk.fill(leaving: 0)
            let session = Self.session(in: store)
            session.initialize(Self.appInfo)
            let filler = String(repeating: "x", count: 30_000)
            for number in 0..<200 { session.sendID3("\(Self.tag(number))/\(filler)") }
            #expect(await session.flush() == false)
            #expect(session.lastError != nil && session.counts.stored == 200 && session.counts.isConserved)
            // The buffer starts in memory, and counts the tags and the record of the app.
            let full = session.storage
            #expect(full.accepted == 200 && full.queued == 0 && full.lost == 0)
            #expect(session.bufferTotals?.overflow == 201)
            // Once there is room, the waiting tags are written in order.
            disk.release()
            session.sendID3(Self.tag(200))
            try await wait(for: "the database", asking: { await session.flush() })
            let totals = try #require(session.bufferTotals)
            #expect(totals.overflow == 0 && totals.inStore == 202 && totals.losses == LossTotals())
            await session.finish()
            let owners = try await Self.owners(in: store)
            #expect(owners == (0..<200).map { "\(Self.tag($0))/\(filler)" } + [Self.tag(200)])
        }
    }

    /// Neither waits for the next call of the player.
    @Test(
        .enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"), arguments: [true, false],
        [true, false])
    func diskThatRecovers_isWrittenAtOnceByFlush_andSoonWithoutIt(
        isFlushed: Bool, isFirstLaunch: Bool
    ) async throws {
        try await Self.withDisk(byteCount: 40_000_000) { disk, store in
            if !isFirstLaunch {
                #expect(await Self.session(in: store).finish())
                // Only the identity of the device is on the disk. A database would have reserved space.
                for name in try FileManager.default.contentsOfDirectory(atPath: store)
                where name != "player.json" {
                    try FileManager.default.removeItem(atPath: store + "/" + name)
                }
            }
            disk.fill(leaving: 0)
            let session = Self.session(in: store)
            for number in 0..<3 { session.sendID3(Self.tag(number)) }
            #expect(await session.flush() == false)
            #expect(session.bufferTotals?.overflow == 3)
            disk.release()
            if isFlushed { #expect(await session.flush()) }
            try await wait(for: "the disk", asking: { session.bufferTotals?.overflow == 0 })
            #expect(session.bufferTotals?.accepted == 3)
            #expect(await session.finish())
            #expect(try await Self.owners(in: store) == (0..<3).map(Self.tag))
        }
    }

    /// Returns the writes of a held tag, and of tags that displace it from a small memory.
    private static func writesThatDisplaceAHeldTag() throws -> (held: SessionTag, writes: [SessionWrite]) {
        var machine = SessionMachineTests.machine()
        func call(_ name: CallName, _ arguments: MetadataValue...) -> [SessionWrite] {
            machine.handle(SessionCall(name, arguments), at: .zero).writes
        }
        var writes = call(.initialize, SessionMachineTests.appInfo)
        writes += call(.play, ["channelName": "One"])
        writes += call(.loadMetadata, ["type": "content", "assetid": "A"])
        writes += call(.playheadPosition, 0)
        let held = call(.sendID3, .text(tag(0)), 10)
        for number in 1...100 {
            let filler = String((0..<900).map { _ in "0123456789abcdef".randomElement() ?? "x" })
            writes += call(.sendID3, .text("\(tag(number))/\(filler)"))
        }
        guard case .hold(let tag, _) = try #require(held.first) else {
            throw StoreError.invalidSetting(name: "the tag is not held")
        }
        return (tag, [.hold(tag, as: 1)] + writes)
    }

    /// The database is opened at most once a second, so a write is not always tried; a caller behind it still learns
    /// whether the disk works.
    @Test(.enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"))
    func flushBehindAWriteThatIsNotTried_onADiskThatWorksAgain_writesEverything() async throws {
        let (held, writes) = try Self.writesThatDisplaceAHeldTag()
        try await Self.withDisk(byteCount: 40_000_000) { disk, store in
            disk.fill(leaving: 0)
            let clock = ManualClock()
            var settings = StoreSettings()
            settings.maximumMemoryByteCount = 20_000
            let folder = MeasurementFolder.shared(store)
            let first = folder.join(settings: settings, clock: clock)
            if folder.add(writes, of: first).begins { folder.beginWriting() }
            // The database is opened now, in vain.
            #expect(await folder.flush(first, until: .zero) == false)
            #expect(folder.totals?.losses.memoryLost ?? 0 > 0)
            disk.release()
            let second = folder.join(settings: settings, clock: clock)
            // The contents of the tag, which is not in memory, are replaced in the database.
            let begins = folder.add([.release(1, as: held.presented)], of: first).begins
            #expect(begins)
            // The caller waits before the write is performed.
            let flush = Task.immediate { await folder.flush(second, until: .zero) }
            folder.beginWriting()
            if await !flush.value {
                Issue.record("the disk works")
                // Two tasks wait for the next attempt, without which the folder cannot be left.
                await clock.waitForSleepers(2)
                clock.advance(by: .seconds(1))
            }
            #expect(folder.totals?.overflow == 0)
            _ = await folder.leave(first)
            _ = await folder.leave(second)
        }
    }

    /// The buffer continues in the room that it has, and counts the tags that it evicts.
    @Test(.enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"))
    func diskThatFillsUp_countsEveryLostTag() async throws {
        try await Self.withDisk(byteCount: 8_000_000) { disk, store in
            var options = SessionOptions(directory: store)
            options.store = StoreSettings(maximumByteCount: 4_000_000)
            let session = MeasurementSession(options: options)
            let filler = String((0..<900).map { _ in "0123456789abcdef".randomElement() ?? "x" })
            for number in 0..<6_000 {
                session.sendID3("\(Self.tag(number))/\(filler)\(number)")
                if number % 100 == 0 { #expect(await session.flush()) }
                if number == 300 { disk.fill(leaving: 0) }
            }
            #expect(await session.flush())
            let storage = session.storage
            let totals = try #require(session.bufferTotals)
            #expect(session.counts.stored == 6_000 && storage.queued == 0)
            #expect(storage.accepted + storage.lost == 6_000 && totals.offered == 6_000)
            #expect(totals.refused == Int64(storage.lost) && (storage.lost == 0 || session.lastError != nil))
            #expect(totals.isBalanced && totals.inStore > 100 && totals.losses.evicted > 0)
            await session.finish()
        }
    }

    // MARK: The folder

    @Test(.enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"))
    func readOnlyFolder_isReported_andTagsWait() async throws {
        try await Self.withDisk(byteCount: 20_000_000) { disk, store in
            disk.setReadOnly(true)
            let session = Self.session(in: store)
            session.sendID3(Self.tag(0))
            #expect(await session.flush() == false)
            #expect(session.lastError?.code == SessionErrorCode.fileWrite.rawValue)
            #expect(session.storage.queued == 1)
            disk.setReadOnly(false)
            try await wait(
                for: "the tag",
                asking: { session.storage.accepted == 1 })
            await session.finish()
            #expect(try await Self.owners(in: store) == [Self.tag(0)])
        }
    }

    @Test func missingFolder_isCreated() async throws {
        let folder = try TemporaryFolder()
        let session = Self.session(in: folder.path + "/some/where/else")
        session.sendID3(Self.tag(0))
        #expect(await session.flush() && session.lastError == nil)
        await session.finish()
        #expect(try await Self.owners(in: folder.path + "/some/where/else") == [Self.tag(0)])
    }

    /// The contents of the folder are lost.
    ///
    /// Later tags are stored in a new folder, and delivered from there.
    @Test func removedFolder_isRecreated() async throws {
        let folder = try TemporaryFolder()
        let collector = try Collector(settings: CollectorSettings(folder: folder.path + "/collected"))
        let file = folder.path + "/configuration.json"
        try #"{"collectors":{"us":"\#(collector.url)"},"uploadInterval":0.1,"records":"tags"}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        session.sendID3(Self.tag(0))
        try await wait(for: "the first tag", asking: { collector.status.accepted == 1 })
        try FileManager.default.removeItem(atPath: folder.path + "/store")
        session.sendID3(Self.tag(1))
        try await wait(for: "the second tag", asking: { collector.status.accepted == 2 })
        #expect(session.lastError?.code == SessionErrorCode.fileWrite.rawValue)
        #expect(session.storage.accepted == 2)
        await session.finish()
        collector.stop()
        #expect(
            try folder.records(of: "collected").compactMap { $0["owner"] as? String } == [
                Self.tag(0), Self.tag(1),
            ])
    }
}
