import Foundation
import HostSystem
import Synchronization
import TestSupport
import Testing

@testable import PlayerSession

/// The user's last choice is the stored one, however many calls are made while the identity of the folder loads.
@Suite(.timeLimit(.minutes(30))) struct ChoiceOrderTests {
    /// The ways in which several choices reach a folder at its start.
    enum Arrangement: CaseIterable {
        case oneSession, oneSessionWithLog, twoSessions, threads, fullQueue

        var repetitionCount: Int { self == .fullQueue ? 10 : 150 }
        var sessionCount: Int { self == .twoSessions ? 2 : 1 }
        /// Whether the order of the choices is known.
        var isOrdered: Bool { self != .threads && self != .twoSessions }
    }

    private static func address(isOut: Bool) -> String { "nielsenappsdk://\(isOut ? 1 : 0)" }

    private static func isOptedOut(in folder: String) throws -> Bool? {
        let text = try String(contentsOfFile: folder + "/player.json", encoding: .utf8)
        return SessionIdentity(json: Array(text.utf8)).map { $0.optedOutStore != nil }
    }

    private static func choose(
        _ isOut: Bool, in sessions: [MeasurementSession], _ arrangement: Arrangement
    ) async throws {
        switch arrangement {
        case .oneSession, .oneSessionWithLog:
            sessions[0].userOptOut(address(isOut: !isOut))
            sessions[0].userOptOut(address(isOut: isOut))
        case .twoSessions, .threads:
            async let first: Void = onOwnThread {
                for _ in 0..<4 { sessions[0].userOptOut(address(isOut: !isOut)) }
            }
            async let second: Void = onOwnThread {
                for _ in 0..<4 { sessions[sessions.count - 1].userOptOut(address(isOut: isOut)) }
            }
            _ = try await (first, second)
        case .fullQueue:
            sessions[0].userOptOut(address(isOut: !isOut))
            sessions[0].userOptOut(address(isOut: isOut))
            for _ in 0..<SessionCore.maximumQueuedCount { sessions[0].appInForeground() }
        }
    }

    @Test(arguments: Arrangement.allCases, [false, true])
    func choices_whileTheIdentityLoads_leaveTheLastOneStored(
        _ arrangement: Arrangement, isOut: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        for number in 0..<arrangement.repetitionCount {
            let store = "\(folder.path)/\(number)"
            var options = SessionOptions(directory: store)
            if arrangement == .oneSessionWithLog { options.log = "\(folder.path)/\(number).log" }
            let sessions = (0..<arrangement.sessionCount).map { [options] _ in
                MeasurementSession(options: options)
            }
            try await Self.choose(isOut, in: sessions, arrangement)
            for session in sessions { #expect(await session.flush()) }
            let status = sessions[0].optOutStatus
            if arrangement.isOrdered { #expect(status == isOut, "folder \(number)") }
            #expect(sessions.allSatisfy { $0.optOutStatus == status }, "folder \(number)")
            #expect(try Self.isOptedOut(in: store) == status, "folder \(number)")
            for session in sessions { #expect(await session.finish()) }
        }
    }

    /// Another process holds the lock of the folder while a user changes the choice many times.
    @Test func failedWrite_isReportedOnceForEachSession() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.path + "/store"
        let identity = FolderIdentity(directory: directory)
        let now = ManualClock().reading
        _ = identity.load(now: now)
        identity.save(as: 0) { _ in }
        #expect(await identity.flush())
        let reports = Mutex<[UInt64: Int]>([:])
        do {
            let lock = try FileDescriptor(path: directory, options: [.reading, .directory])
            try lock.lock()
            for number in 0..<100 {
                #expect(identity.apply(IdentityRequest(optedOutStore: .some("\(number)")), now: now))
                let session = UInt64(number % 2)
                identity.save(as: session) { _ in reports.withLock { $0[session, default: 0] += 1 } }
            }
            try FileManager.default.removeItem(atPath: directory)
            // A write that begins only now fails, too.
            try Data().write(to: URL(filePath: directory))
        }
        try await wait(for: "the reports") { reports.withLock { $0.count } == 2 }
        try FileManager.default.removeItem(atPath: directory)
        // The change is still pending.
        #expect(await identity.flush())
        #expect(try Self.isOptedOut(in: directory) == true)
        #expect(reports.withLock { $0 } == [0: 1, 1: 1])
    }

    /// The write in progress waits for a lock, and fails.
    ///
    /// A flush that came after its start learns of the next write.
    @Test func flush_duringAWriteThatFails_waitsForTheNextOne() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.path + "/store"
        let identity = FolderIdentity(directory: directory)
        let now = ManualClock().reading
        _ = identity.load(now: now)
        identity.save(as: 0) { _ in }
        #expect(await identity.flush())
        let reports = Mutex(0)
        let later: Task<Bool, Never>
        do {
            let lock = try FileDescriptor(path: directory, options: [.reading, .directory])
            try lock.lock()
            #expect(identity.apply(IdentityRequest(optedOutStore: .some("a")), now: now))
            identity.save(as: 1) { _ in reports.withLock { $0 += 1 } }
            try await wait(for: "a write that waits for the lock") { try Self.isWaitingForALock }
            later = Task { await identity.flush() }
            try await wait(for: "the flush") { identity.hasCallers }
            try FileManager.default.removeItem(atPath: directory)
        }
        #expect(await later.value)
        #expect(reports.withLock { $0 } == 1)
        #expect(try Self.isOptedOut(in: directory) == true)
    }

    /// Whether a thread of this process waits for a lock of a file (proc_locks(5)).
    private static var isWaitingForALock: Bool {
        get throws {
            try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").contains {
                $0.contains("-> FLOCK") && $0.contains(" \(getpid()) ")
            }
        }
    }
}
