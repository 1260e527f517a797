import DTVRKit
import Foundation
import Glibc
import PlayerSession
import Synchronization
import TestSupport
import Testing

/// The tags of one damaged segment, as they are delivered after each way of storing them.
@Suite(.timeLimit(.minutes(30))) struct StoredTagTests {
    /// The keys that describe the tag itself.
    ///
    /// The other keys differ for a reason: the time of storage, the id and the channel depend on the way of storing. A
    /// player sees neither segments nor container times, so everything about the tag's place differs.
    private static let keysOfTag = [
        "owner", "kind", "sequence", "first", "last", "pc_cid", "fd_cid", "pc_offset", "fd_offset",
        "breakout", "checksum_ok", "problems",
    ]
    private static let keysOfStorage = ["received", "id", "channel"]

    @Test func tagsWithAWrongChecksum_areStoredAlikeByLibraryToolMonitorAndSession() async throws {
        let segment = try Self.damagedSegment()
        let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:7\n#EXTINF:6.4,\nseg.ts\n#EXT-X-ENDLIST\n"
        let server = try LoopbackServer(serving: [
            "/index.m3u8": ServedResource(playlist), "/seg.ts": ServedResource(segment),
        ])
        defer { server.stop() }
        let url = server.base + "/index.m3u8"
        let folder = try TemporaryFolder()

        let library = try await Self.tagsOfLibrary(url, in: folder.path + "/library")
        let tool = try await Self.tagsOfTool(url, in: folder.path + "/tool", home: folder.path)
        let monitor = try await Self.tagsOfMonitor(url, in: folder.path + "/monitor", home: folder)
        let session = try await Self.tagsOfSession(library, in: folder.path + "/session")

        try #require(!library.isEmpty)
        #expect(library.allSatisfy { $0["problems"] as? [String] == ["tag.checksum"] })
        let expected = library.map { $0.without(Self.keysOfStorage) }
        #expect(tool.map { $0.without(Self.keysOfStorage) } == expected)
        #expect(monitor.map { $0.without(Self.keysOfStorage) } == expected)
        #expect(session.map { $0.only(Self.keysOfTag) } == library.map { $0.only(Self.keysOfTag) })
    }

    /// Returns the first segment of the demonstration stream, with one character of each tag's blob changed.
    private static func damagedSegment() throws -> [UInt8] {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Project.demo + "/v360/seg00000.ts")))
        let domain = Array("www.nielsen.com/".utf8)
        // The offset skips the domain, two CIDs of 24 characters with a slash each, the sequence number and the kind.
        let offset = domain.count + 2 * 25 + 8
        for start in bytes.indices.dropLast(offset) where bytes[start...].starts(with: domain) {
            bytes[start + offset] =
                bytes[start + offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        }
        return bytes
    }

    private static func tagsOfLibrary(_ url: String, in directory: String) async throws -> [DeliveredTag] {
        let fetcher = try ResourceFetcher(
            client: HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0")))
        let presentation = try await InputResolver(fetcher: fetcher).resolve(url)
        let buffer = try await TagBuffer.open(directory: directory)
        let ingest = TagIngest(into: buffer)
        for await segment in presentation.readings(through: fetcher) {
            _ = try await ingest.append(segment.tags)
        }
        await buffer.close()
        return try await deliver(directory)
    }

    private static func tagsOfTool(
        _ url: String, in directory: String, home: String
    ) async throws -> [DeliveredTag] {
        let run = try await FinishedProcess.of(
            Project.tool, ["run", "--store", directory, url], environment: ["HOME": home])
        #expect(run.status == 0, "\(String(decoding: run.errors, as: UTF8.self))")
        return try await deliver(directory)
    }

    private static func tagsOfMonitor(
        _ url: String, in directory: String, home: TemporaryFolder
    ) async throws -> [DeliveredTag] {
        let path = try home.write("monitor.jsonl", "")
        let output = try #require(FileHandle(forUpdatingAtPath: path))
        let monitor = try ChildProcess(
            Project.tool, ["monitor", "--store", directory, "--format", "jsonl", url],
            environment: ["HOME": home.path], input: output.fileDescriptor, output: output.fileDescriptor,
            errors: output.fileDescriptor)
        defer { monitor.killAndWait() }
        try await wait(for: "the end of the channel") {
            try String(contentsOfFile: path, encoding: .utf8).contains("\"to\":\"ended\"")
        }
        monitor.signal(SIGTERM)
        #expect(await monitor.exitStatus() == 0)
        return try await deliver(directory)
    }

    /// Stores the tags that the library found, as a player that receives them does.
    private static func tagsOfSession(
        _ tags: [DeliveredTag], in directory: String
    ) async throws -> [DeliveredTag] {
        let session = MeasurementSession(
            appInfo: ["appid": "T0000000-EXAMPLE", "appname": "example", "appversion": "1.0"],
            options: SessionOptions(directory: directory))
        session.play(["channelName": "one"])
        for tag in tags { session.sendID3(tag["owner"] as? String ?? "") }
        #expect(await session.finish())
        return try await deliver(directory)
    }

    /// Delivers all tags of a buffer to a sink that records them.
    private static func deliver(_ directory: String) async throws -> [DeliveredTag] {
        let buffer = try await TagBuffer.open(directory: directory)
        let sink = KeepingSink()
        let outcome = try await Uploader(buffer: buffer, sink: sink).drain()
        await buffer.close()
        #expect(outcome.end == .drained)
        return try sink.lines.map { line in
            DeliveredTag(
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]))
        }
        .filter { $0["owner"] != nil }
    }
}

/// A tag as its collector receives it.
private struct DeliveredTag: Equatable {
    private let members: NSDictionary

    init(_ members: [String: Any]) { self.members = members as NSDictionary }

    subscript(key: String) -> Any? { members[key] }

    func without(_ keys: [String]) -> DeliveredTag { kept { !keys.contains($0) } }

    func only(_ keys: [String]) -> DeliveredTag { kept(keys.contains) }

    private func kept(_ isKept: (String) -> Bool) -> DeliveredTag {
        var kept: [String: Any] = [:]
        for case (let key as String, let value) in members where isKept(key) { kept[key] = value }
        return DeliveredTag(kept)
    }
}

/// A sink that accepts every batch and records its lines.
private final class KeepingSink: TagSink {
    let identity = "keeping"
    private let received = Mutex<[String]>([])

    var lines: [String] { received.withLock { $0 } }

    func deliver(_ batch: TagBatch) async -> SinkOutcome {
        let lines = String(decoding: batch.body, as: UTF8.self).split(separator: "\n").map(String.init)
        received.withLock { $0 += lines }
        return SinkOutcome(.received(rejected: []))
    }
}
