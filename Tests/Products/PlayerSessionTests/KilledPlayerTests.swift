import Foundation
import Glibc
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// A player that is killed at any moment, and a player that owns the folder of another one.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KilledPlayerTests {
    /// A process that hands over a number of tags and keeps running, and its output.
    private final class OpenPlayer: Sendable {
        let process: ChildProcess
        private let log: String

        init(_ folder: String, tagCount: Int, log: String) throws {
            self.log = log
            let input = try #require(FileHandle(forReadingAtPath: "/dev/null"))
            #expect(FileManager.default.createFile(atPath: log, contents: nil))
            let output = try #require(FileHandle(forWritingAtPath: log))
            process = try ChildProcess(
                LinkedPlayerTests.player, [folder, String(tagCount)], input: input.fileDescriptor,
                output: output.fileDescriptor, errors: output.fileDescriptor)
        }

        /// The number of tags that the player has reported to be on the disk.
        var durableCount: Int {
            get throws {
                // The last line may be incomplete.
                let text = try String(contentsOfFile: log, encoding: .utf8)
                return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last
                    .flatMap { Int($0) } ?? 0
            }
        }
    }

    /// Returns the tags of a folder in the order of the buffer, grouped by viewing session.
    private static func tags(in folder: String) async throws -> [[String]] {
        let buffer = try await TagBuffer.open(directory: folder)
        #expect(buffer.findings == OpeningFindings())
        var tags: [StoredTag] = []
        while true {
            let page = try await buffer.tags(after: tags.last?.sequence ?? 0, maximumCount: 1_000)
            if page.isEmpty { break }
            tags += page
        }
        await buffer.close()
        var sessions: [String] = []
        var owners: [String: [String]] = [:]
        var misplaced: [String] = []
        for tag in tags {
            guard let occurrence = try tag.occurrence(), case .session(let place, _) = occurrence.origin
            else { continue }
            if owners[place.id] == nil { sessions.append(place.id) }
            let owner = String(decoding: occurrence.tag.ownerIdentifier, as: UTF8.self)
            if place.order != UInt64(owners[place.id, default: []].count) { misplaced.append(owner) }
            owners[place.id, default: []].append(owner)
        }
        #expect(misplaced.isEmpty, "\(misplaced.count) tags, the first \(misplaced[0])")
        return sessions.compactMap { owners[$0] }
    }

    /// The player stops sending soon after the kill is due, so that a late kill does not overfill the buffer.
    @Test func player_killedAtAnyTime_losesNoTagOnDisk() async throws {
        let folder = try TemporaryFolder()
        var durable: [Int] = []
        for round in 0..<15 {
            let wanted = Int.random(in: 1...200)
            let player = try OpenPlayer(
                folder.path + "/store", tagCount: wanted + 100, log: folder.path + "/log\(round)")
            defer { player.process.killAndWait() }
            try await wait(for: "tags of round \(round)", asking: { try player.durableCount >= wanted })
            player.process.signal(SIGKILL)
            #expect(await player.process.exitStatus() == 128 + SIGKILL)
            durable.append(try player.durableCount)
        }
        let found = try await Self.tags(in: folder.path + "/store")
        try #require(found.count == durable.count)
        for (round, (tags, count)) in zip(found, durable).enumerated() {
            #expect(tags.count >= count, "round \(round): \(count - tags.count) of \(count) are lost")
            let wrong = tags.indices.first { tags[$0] != "www.nielsen.com/\($0)" }
            #expect(wrong == nil, "round \(round): tag \(wrong ?? 0) of \(tags.count) is \(tags[wrong ?? 0])")
        }
    }

    /// The error names the process that owns the folder.
    ///
    /// The tags are stored once that process has ended.
    @Test func session_whileAnotherProcessOwnsTheFolder_waitsForIt() async throws {
        let folder = try TemporaryFolder()
        let player = try OpenPlayer(folder.path + "/store", tagCount: 1, log: folder.path + "/log")
        defer { player.process.killAndWait() }
        try await wait(for: "the other process", asking: { try player.durableCount > 0 })
        let session = MeasurementSession(options: SessionOptions(directory: folder.path + "/store"))
        session.sendID3("www.nielsen.com/mine")
        #expect(await session.flush(timeLimit: .zero) == false)
        #expect(session.isBufferInUse)
        #expect(session.lastError?.code == SessionErrorCode.database.rawValue)
        #expect(session.lastError?.text.contains("\(player.process.processIdentifier)") == true)
        player.process.signal(SIGKILL)
        _ = await player.process.exitStatus()
        try await wait(for: "the tag", asking: { session.storage.accepted == 1 })
        await session.finish()
        #expect(try await Self.tags(in: folder.path + "/store").last == ["www.nielsen.com/mine"])
    }
}
