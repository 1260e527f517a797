import CDTVRHeader
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Each field of dtvr_options has an effect that a player observes.
@Suite(.timeLimit(.minutes(30))) struct SessionOptionTests {
    /// Returns different owner identifiers of about 30 kB that do not compress well.
    private static func largeOwners(_ count: Int) -> [String] {
        var state: UInt64 = 7
        return (0..<count).map { index in
            var text = "www.nielsen.com/\(index)/"
            while text.utf8.count < 30_000 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += String(state >> 8, radix: 36)
            }
            return text
        }
    }

    @Test(arguments: [0, 2_000_000] as [UInt64])
    func maximumBytes_limitsTheSizeOfTheBuffer(byteCount: UInt64) async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path, .init(maximumByteCount: byteCount)))
        for (index, owner) in Self.largeOwners(160).enumerated() {
            session.send(owner)
            // At most 4 MiB may wait in memory.
            if index % 40 == 39 { #expect(try await session.settle() == DTVR_DONE) }
        }
        let counts = try #require(session.bufferCounts)
        #expect(counts.accepted >= 160 && counts.waiting + counts.evicted == counts.accepted)
        #expect((counts.evicted > 0) == (byteCount > 0), "\(counts.evicted) evicted")
        #expect(try await session.destroy() == DTVR_DONE)
        let size = try FileManager.default.subpathsOfDirectory(atPath: folder.path).reduce(0) { sum, name in
            let facts = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            return sum + (facts[.size] as? Int ?? 0)
        }
        #expect((size > 2_200_000) == (byteCount == 0), "\(size) bytes")
    }

    @Test func maximumAgeSeconds_isTheAgeAtWhichTagsExpire() async throws {
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        for folder in folders {
            let session = try #require(CSession(folder.path))
            session.send("www.nielsen.com/old")
            #expect(try await session.destroy() == DTVR_DONE)
        }
        let stored = ContinuousClock.now
        try await wait(for: "a second") { stored.duration(to: .now) > .seconds(1.1) }
        for (folder, seconds) in zip(folders, [1, 0] as [UInt64]) {
            let session = try #require(CSession(folder.path, .init(maximumAgeSeconds: seconds)))
            #expect(try await session.settle() == DTVR_DONE)
            // The records of the app and of its run, and the tag.
            #expect(session.bufferCounts?.expired == 3 * seconds)
            #expect(try await session.destroy() == DTVR_DONE)
        }
    }

    @Test func log_containsEachCall() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path + "/calls.jsonl"
        let session = try #require(CSession(folder.path + "/store", .init(log: log)))
        _ = session.play()
        session.send("www.nielsen.com/one")
        #expect(try await session.destroy() == DTVR_DONE)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4, "\(lines)")
        #expect(lines.contains { $0.contains("www.nielsen.com/one") && $0.contains(#""outcome":"stored""#) })
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "calls.jsonl", "store",
            ])
    }

    @Test(.enabled(if: TLSServer.isAvailable, "openssl is not installed"))
    func authoritiesFile_isTrustedForTheConfiguration() async throws {
        let folder = try TemporaryFolder()
        let served = try TemporaryFolder()
        try served.write("configuration.json", #"{"optOutUrl":"https://example.com/choice"}"#.utf8)
        let server = try await TLSServer(served.path, certificates: folder.path, requiresCertificate: false)
        let url = server.base + "/configuration.json"
        let trusting = try #require(
            CSession(folder.path + "/a", .init(configurationURL: url, authoritiesFile: server.authority)))
        try await wait(for: "the configuration") { trusting.optOutURL != nil }
        #expect(trusting.optOutURL?.contains("example.com/choice") == true)
        let usual = try #require(CSession(folder.path + "/b", .init(configurationURL: url)))
        try await wait(for: "an error") { usual.notices.codes.contains { $0 < 2_000 } }
        #expect(usual.optOutURL == nil)
        for session in [trusting, usual] { #expect(try await session.destroy() == DTVR_DONE) }
    }

    @Test(arguments: [false, true])
    func keepsRepeats_storesARepeat(keepsRepeats: Bool) async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path, .init(keepsRepeats: keepsRepeats)))
        #expect(try await session.settle() == DTVR_DONE)
        #expect(session.send("www.nielsen.com/a") == DTVR_STORED)
        #expect(session.send("www.nielsen.com/a") == (keepsRepeats ? DTVR_STORED : DTVR_REPEAT))
        #expect(try await session.destroy() == DTVR_DONE)
    }

    @Test(arguments: [1, 2, 3])
    func runningCallback_returnsBeforeDestroyReturns(round: Int) async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path, .init(callbackMilliseconds: 100)))
        try await wait(for: "a callback") { session.notices.startedCount > 0 }
        _ = try await session.destroy()
        let after = session.notices
        #expect(after.runningCount == 0)
        try await onOwnThread { _ = poll(nil, 0, 300) }
        #expect(session.notices.startedCount == after.startedCount)
    }

    /// Each of these calls stops waiting at once, but its flush waits for the configuration.
    @Test func settle_whileManyFlushesWait_returnsAtOnce() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [.hang] }
        let session = try #require(
            CSession(folder.path, .init(configurationURL: server.base + "/configuration.json")))
        for _ in 0..<64 { #expect(try await session.settle(milliseconds: 0) == DTVR_TIMED_OUT) }
        let last = try await session.settle()
        // On a slow machine, the configuration has failed by now, which is a notification.
        #expect(last == DTVR_TIMED_OUT || !session.notices.codes.isEmpty)
        server.stop()
        // The flushes end, and others begin.
        try await wait(for: "a flush", asking: { try await session.settle() == DTVR_DONE })
        #expect(try await session.destroy() == DTVR_DONE)
    }

    /// The newest 1,000 notifications wait for a callback that does not return.
    @Test func blockedCallback_leavesTheNewestNotificationsWaiting() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path, .init(blocksCallbacks: true)))
        try await wait(for: "a callback") { session.notices.startedCount > 0 }
        for _ in 0..<3_000 { session.send("") }
        #expect(session.play() == DTVR_DONE)
        session.releaseCallbacks()
        try await wait(for: "the callbacks") { session.notices.codes.count >= 1_001 }
        #expect(try await session.destroy() == DTVR_DONE)
        // The startup, the 1,000 newest, and the shutdown at most.
        #expect((1_001...1_002).contains(session.notices.codes.count), "\(session.notices.codes.count)")
    }

    @Test func blockedCallback_keepsDestroyFromReturning() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path, .init(blocksCallbacks: true)))
        try await wait(for: "a callback") { session.notices.startedCount > 0 }
        let status = Mutex<dtvr_status?>(nil)
        let ending = Task {
            let result = try await session.destroy()
            status.withLock { $0 = result }
        }
        // Without the wait for the callback, the function returns within this time.
        try await onOwnThread {
            for _ in 0..<60 where status.withLock({ $0 }) == nil { _ = poll(nil, 0, 50) }
        }
        #expect(status.withLock { $0 } == nil)
        session.releaseCallbacks()
        try await ending.value
        #expect(status.withLock { $0 } == DTVR_DONE)
        #expect(session.notices.runningCount == 0)
    }
}
