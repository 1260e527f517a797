import Foundation
import HostSystem
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// Sessions of one process that share a folder.
///
/// Data that is reported as stored is on the disk.
@Suite(.timeLimit(.minutes(30))) struct SharedFolderTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    private static func tag(_ name: String) -> String { "www.nielsen.com/\(name)" }

    private static func session(in folder: String) -> MeasurementSession {
        MeasurementSession(appInfo: appInfo, options: SessionOptions(directory: folder))
    }

    static func owners(in folder: String) async throws -> [String] {
        let buffer = try await TagBuffer.open(directory: folder)
        let tags = try await buffer.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
        await buffer.close()
        return try tags.compactMap { try $0.occurrence() }.map {
            String(decoding: $0.tag.ownerIdentifier, as: UTF8.self)
        }
    }

    /// Another user could read the tags and the ids, and change the user's choice.
    ///
    /// Once the folder is private, the tags reach it.
    @Test func session_inAFolderForEveryone_storesNothingThere() async throws {
        let folder = try TemporaryFolder()
        #expect(unsafe chmod(folder.path, 0o777) == 0)
        let session = Self.session(in: folder.path)
        session.play(["channelName": "One"])
        session.sendID3(Self.tag("a"))
        #expect(await session.flush() == false)
        #expect(session.lastError?.text.contains(folder.path) == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(unsafe chmod(folder.path, 0o700) == 0)
        try await wait(for: "the tag", asking: { await session.flush() && session.storage.queued == 0 })
        #expect(await session.finish())
        #expect(try await Self.owners(in: folder.path) == [Self.tag("a")])
    }

    // MARK: The user's choice

    private static func isOptedOut(in folder: String) throws -> Bool? {
        let text = try String(contentsOfFile: folder + "/player.json", encoding: .utf8)
        return SessionIdentity(json: Array(text.utf8)).map { $0.optedOutStore != nil }
    }

    /// Three sessions of each folder start and choose at the same time, so that several writes are in progress.
    @Test func optOut_immediatelyAfterStart_isOnDiskAfterFlush() async throws {
        let folder = try TemporaryFolder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let store = "\(folder.path)/\(number)"
                    let sessions = (0..<3).map { _ in Self.session(in: store) }
                    for session in sessions { session.userOptOut("nielsenappsdk://1") }
                    for session in sessions { #expect(await session.flush()) }
                    #expect(try Self.isOptedOut(in: store) == true, "\(number)")
                    #expect(sessions.allSatisfy { $0.lastError == nil }, "\(number)")
                    for session in sessions { #expect(await session.finish()) }
                    let names = try FileManager.default.contentsOfDirectory(atPath: store)
                    #expect(!names.contains { $0.contains(".next") }, "\(names)")
                }
            }
            try await group.waitForAll()
        }
    }

    /// The last choice applies, and an unchanged identity is not written.
    @Test func unchangedIdentity_isNotRewritten() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/player.json"
        func inode() throws -> UInt64? {
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
        }
        let first = Self.session(in: folder.path)
        #expect(await first.flush())
        let inode1 = try inode()
        let second = Self.session(in: folder.path)
        first.userOptOut("nielsenappsdk://0")
        #expect(await second.flush())
        #expect(await first.finish())
        #expect(try inode() == inode1)
        second.userOptOut("nielsenappsdk://1")
        #expect(await second.finish())
        #expect(try inode() != inode1)
        #expect(try Self.isOptedOut(in: folder.path) == true)
    }

    /// A session of another process may choose while this one renews its id.
    @Test func optOut_ofAnotherProcess_survivesWriteOfThisProcess() throws {
        let folder = try TemporaryFolder()
        let identity = SessionIdentity(now: .steady(1_000))
        var ours = try SessionIdentity.save(.init(), to: folder.path, orNew: identity)
        var theirs = ours
        theirs.optedOutStore = TagID.random().text
        _ = try SessionIdentity.save(theirs.change(since: ours), to: folder.path, orNew: theirs)
        let before = ours
        let isRenewed = ours.renew(
            wantsFirstPartyID: true, now: .steady(1_000 + SessionIdentity.firstPartyIDAge))
        #expect(isRenewed)
        let merged = try SessionIdentity.save(ours.change(since: before), to: folder.path, orNew: ours)
        #expect(merged.optedOutStore == theirs.optedOutStore && merged.firstPartyID == ours.firstPartyID)
        #expect(SessionIdentity.stored(in: folder.path) == merged)
    }

    @Test func optOut_thatCannotBeWritten_isNotReportedAsStored() async throws {
        let folder = try TemporaryFolder()
        let session = Self.session(in: folder.path)
        #expect(await session.flush())
        // A file cannot replace a folder, so the write fails.
        let path = folder.path + "/player.json"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path + "/x", withIntermediateDirectories: true)
        session.userOptOut("nielsenappsdk://1")
        #expect(await session.flush() == false)
        #expect(session.lastError?.code == SessionErrorCode.fileWrite.rawValue)
        try FileManager.default.removeItem(atPath: path)
        #expect(await session.flush())
        #expect(try Self.isOptedOut(in: folder.path) == true)
        #expect(await session.finish())
    }

    // MARK: One store

    /// A session that starts while the previous one ends waits for the buffer.
    @Test func sessions_startingAndEndingConcurrently_loseNoTag() async throws {
        let folder = try TemporaryFolder()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    for round in 0..<25 {
                        let session = Self.session(in: folder.path)
                        #expect(session.sendID3(Self.tag("\(task)-\(round)")).outcome != .discarded)
                        #expect(await session.finish(), "\(task)-\(round)")
                        #expect(session.lastError == nil)
                    }
                }
            }
        }
        let owners = try await Self.owners(in: folder.path)
        #expect(owners.count == 150 && Set(owners).count == 150)
    }

    /// The session assumes that a buffer which its own process has open is about to be closed.
    @Test func session_whileItsProcessHasTheBufferOpen_waitsForIt() async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path)
        let clock = ManualClock()
        let session = MeasurementSession(options: SessionOptions(directory: folder.path), clock: clock)
        session.sendID3(Self.tag("1"))
        async let isStored = session.flush()
        // The session sleeps before its next attempt.
        await clock.waitForSleepers()
        await buffer.close()
        clock.advance(by: .seconds(1))
        #expect(await isStored)
        #expect(await session.finish())
        #expect(session.lastError == nil)
        let owners = try await Self.owners(in: folder.path)
        #expect(owners == [Self.tag("1")])
    }

    /// The process keeps the buffer open: the session gives up after ten seconds, and keeps the tag.
    @Test(arguments: ["flush", "finish"])
    func session_whileItsProcessKeepsTheBufferOpen_waitsTenSeconds(call: String) async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path)
        let clock = ManualClock(jumps: true)
        let start = clock.sinceBoot
        let session = MeasurementSession(options: SessionOptions(directory: folder.path), clock: clock)
        session.sendID3(Self.tag("1"))
        #expect(await (call == "flush" ? session.flush() : session.finish()) == false)
        // Several tasks sleep, and each advances the clock by its sleep, so there is no upper limit.
        #expect(clock.sinceBoot - start >= .seconds(10))
        #expect(
            session.lastError?.text.contains("process \(getpid())") == true,
            "\(session.lastError?.text ?? "")")
        await buffer.close()
        await session.finish()
    }

    /// Locks a buffer as another process does that does not serve it, until the descriptor is closed.
    private static func lockAsAnotherProcess(_ folder: String) throws -> FileDescriptor {
        let lock = try FileDescriptor(path: folder + "/lock", options: [.readingAndWriting, .create])
        let isLocked = lock.tryLock()
        #expect(isLocked)
        // A process that is never this one.
        try lock.write(Array("1\n".utf8).span, at: 0)
        return lock
    }

    /// An app that restarts begins while its previous process ends.
    @Test(arguments: ["flush", "finish"])
    func session_whileAnotherProcessEnds_waitsForIt(call: String) async throws {
        let folder = try TemporaryFolder()
        let session: MeasurementSession
        let isStored: Task<Bool, Never>
        do {
            let owner = try Self.lockAsAnotherProcess(folder.path)
            session = Self.session(in: folder.path)
            #expect(session.sendID3(Self.tag("1")).outcome != .discarded)
            isStored = Task { await call == "flush" ? session.flush() : session.finish() }
            try await wait(for: "the failure", asking: { session.lastError != nil })
            #expect(session.lastError?.text.contains("process 1") == true)
            _ = consume owner
        }
        #expect(await isStored.value)
        await session.finish()
        #expect(try await Self.owners(in: folder.path) == [Self.tag("1")])
    }

    /// Tags that find the queue full are lost; the answer, the counts and the flush say so.
    @Test func tags_beyondTheQueue_areAnsweredAndCountedAsLost() async throws {
        let folder = try TemporaryFolder()
        let session: MeasurementSession
        var outcomes: [String: Int] = [:]
        do {
            let owner = try Self.lockAsAnotherProcess(folder.path)
            var options = SessionOptions(directory: folder.path)
            options.log = folder.path + "/calls.jsonl"
            session = MeasurementSession(options: options)
            // The first calls wait for the user's choice, and are answered later.
            let filler = String(repeating: "x", count: 240)
            for number in 0..<9_000 {
                outcomes[session.sendID3(Self.tag("\(number)/\(filler)")).outcome.rawValue, default: 0] += 1
            }
            _ = consume owner
        }
        let lost = session.storage.lost
        let queued = outcomes.removeValue(forKey: "queued") ?? 0
        #expect(lost > 3_000 && outcomes["lost"] == lost)
        #expect(outcomes["stored"] == 9_000 - lost - queued && outcomes.count == 2)
        #expect(await session.flush() == false)
        #expect(session.storage.accepted == 9_000 - lost && session.counts.isConserved)
        #expect(session.bufferTotals?.refused == Int64(lost))
        await session.finish()
        // The log has the same outcomes.
        let log = try String(contentsOfFile: folder.path + "/calls.jsonl", encoding: .utf8)
            .split(separator: "\n")
        #expect(log.filter { $0.contains(#""outcome":"lost""#) }.count == lost)
        #expect(log.filter { $0.contains(#""outcome":"stored""#) }.count == 9_000 - lost)
    }

    @Test func folder_underAnyOfItsPaths_isOneStore() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: store)
        // The first name is used before the folder exists.
        let names = [
            store, store + "/", folder.path + "//store", folder.path + "/./x/../store", folder.path + "/link",
        ]
        var sessions: [MeasurementSession] = []
        for (number, name) in names.enumerated() {
            let session = Self.session(in: name)
            session.sendID3(Self.tag("\(number)"))
            #expect(await session.flush(), "\(name)")
            #expect(session.bufferTotals?.accepted == Int64(2 * (number + 1)), "\(name)")
            sessions.append(session)
        }
        sessions[0].userOptOut("nielsenappsdk://1")
        #expect(sessions.allSatisfy { $0.optOutStatus })
        for session in sessions { #expect(await session.finish()) }
        #expect(try await Self.owners(in: store).count == names.count)
    }

    // MARK: The end

    @Test func tag_afterFinish_isDiscardedAndCounted() async throws {
        let folder = try TemporaryFolder()
        let session = Self.session(in: folder.path)
        #expect(session.sendID3(Self.tag("before")).outcome != .discarded)
        #expect(await session.finish())
        #expect(session.sendID3(Self.tag("after")).outcome == .discarded)
        #expect(session.counts.discarded == 1 && session.counts.stored == 1 && session.counts.isConserved)
        #expect(await session.flush() == false)
        #expect(await session.finish() == false)
        // The folder is no longer in use.
        #expect(try await Self.owners(in: folder.path) == [Self.tag("before")])
    }

    /// `free` ends the measurement of the playback; the app may continue.
    @Test func tag_afterFree_isStored() async throws {
        let folder = try TemporaryFolder()
        let session = Self.session(in: folder.path)
        session.free()
        #expect(session.sendID3(Self.tag("after")).outcome != .discarded)
        #expect(await session.finish())
        #expect(try await Self.owners(in: folder.path) == [Self.tag("after")])
    }

    // MARK: The truth

    /// If the disk lacks even the room to evict, tags stay only in memory and are lost at the end.
    @Test(.enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"))
    func tagsInMemoryOnly_areNotReportedAsStored() async throws {
        let folder = try TemporaryFolder()
        guard let disk = SmallDisk(at: folder.path, byteCount: 4_000_000) else { return }
        let store = folder.path + "/store"
        var options = SessionOptions(directory: store)
        options.store.maximumByteCount = 3_000_000
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        #expect(await session.flush())
        try FileManager.default.removeItem(atPath: store + "/reserve")
        disk.fill(leaving: 0)
        var isStored = true
        var number = 0
        while isStored, number < 2_000 {
            let filler = String((0..<3_000).map { _ in "0123456789abcdef".randomElement() ?? "x" })
            session.sendID3(Self.tag("\(number)/\(filler)"))
            number += 1
            isStored = await session.flush()
            disk.fill(leaving: 0)
        }
        #expect(!isStored)
        #expect(session.bufferTotals?.overflow ?? 0 > 0)
        #expect(await session.finish() == false)
        _ = consume disk
        withExtendedLifetime(folder) {}
    }
}

/// Groups of tags, and texts, that are too large for one transaction.
@Suite(.timeLimit(.minutes(30))) struct LargeRecordTests {
    /// 64 tags share a transaction.
    ///
    /// With such a long name, they do not fit into one transaction of a small buffer.
    @Test func tagsWithALongChannelName_areAllStored() async throws {
        let folder = try TemporaryFolder()
        var options = SessionOptions(directory: folder.path)
        options.store.maximumByteCount = 2_000_000
        let session = MeasurementSession(appInfo: ["appid": "T1"], options: options)
        // The name is incompressible.
        let name = String(
            (0..<960).map { _ in "0123456789abcdefghijklmnopqrstuvwxyz".randomElement() ?? "x" })
        session.play(["channelName": .text(name)])
        for number in 0..<128 { session.sendID3("www.nielsen.com/\(number)") }
        #expect(await session.flush())
        #expect(session.storage.accepted == 128 && session.storage.lost == 0)
        #expect(session.bufferTotals?.refused == 0 && session.bufferTotals?.accepted == 130)
        #expect(await session.finish())
    }

    @Test func assetWithALongIDAndType_isTruncatedWithAFinding() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(
            appInfo: ["appid": "T1"], options: SessionOptions(directory: folder.path))
        let long = String(repeating: "x", count: 1_000_000)
        session.loadMetadata(["type": .text(long), "assetid": .text(long)])
        session.sendID3("www.nielsen.com/1")
        #expect(session.findings[.keyLength] ?? 0 > 0)
        #expect(await session.finish())
        let buffer = try await TagBuffer.open(directory: folder.path)
        let tags = try await buffer.nextBatch(maximumCount: 10, maximumByteCount: .max)
        await buffer.close()
        let places = try tags.compactMap { tag in
            guard case .session(let place, _) = try tag.occurrence()?.origin else {
                return SessionPlace?.none
            }
            return place
        }
        let place = try #require(places.first)
        #expect(place.asset?.count == 4_096 && place.assetType?.count == 4_096)
    }
}
