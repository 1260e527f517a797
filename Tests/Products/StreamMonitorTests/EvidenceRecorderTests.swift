import Foundation
import HLSInput
import HTTPTransfer
import HostSystem
import ID3v2
import StreamHealth
import Synchronization
import TestSupport
import Testing

@testable import StreamMonitor

/// The evidence of a channel, from a server with the responses that the test sets.
@Suite(.timeLimit(.minutes(30))) struct EvidenceRecorderTests {
    private static func subject(_ server: LoopbackServer) throws -> EvidenceSubject {
        let settings = ChannelSettings(id: "one", url: server.base + "/index.m3u8")
        let fetcher = try ResourceFetcher(
            client: HTTPClient(settings: HTTPClientSettings(userAgent: "test")), jobs: 2)
        return EvidenceSubject(
            settings: settings, input: LiveInput(channel: "one", url: settings.url, fetcher: fetcher),
            place: nil, state: .connecting, lastTagTime: nil, findings: [])
    }

    private static func raised(_ number: Int = 1) -> AlertChange {
        .raised(AlertFolder.alert("one", since: Double(number)))
    }

    /// Returns the saved files with their bytes, once the requests were made.
    ///
    /// The clock advances only by the seconds that the test sets for some resources. With a real clock, the limit of a
    /// minute for the requests would expire on a busy machine.
    private static func evidence(
        of resources: [String: ServedResource], taking seconds: [String: Int] = [:],
        hanging: Set<String> = [], in folder: AlertFolder
    ) async throws -> [String: [UInt8]] {
        let clock = ManualClock()
        let server = try LoopbackServer { request in
            clock.advance(by: .seconds(seconds[request.target] ?? 0))
            if hanging.contains(request.target) { return [.hang] }
            return resources[request.target]?.answer(to: request) ?? [response("404 Not Found")]
        }
        defer { server.stop() }
        let recorder = EvidenceRecorder(folder: folder.path + "/evidence", clock: clock) {
            Issue.record("\($0)")
        }
        let subject = try subject(server)
        let path = try #require(recorder.folder(for: raised()) { _ in subject })
        let running = Task { await recorder.run() }
        defer { running.cancel() }
        try await wait(for: "the requests") {
            let bytes = FileManager.default.contents(atPath: path + "/evidence.json") ?? Data()
            return String(decoding: bytes, as: UTF8.self).contains(#""requests":[{"#)
        }
        var files: [String: [UInt8]] = [:]
        for name in try FileSystem.names(in: path) {
            files[name] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
        }
        // The recorder may still sync the folder, which is removed after the test.
        running.cancel()
        await running.value
        return files
    }

    private static func playlist(_ uris: [String], before lines: String = "") -> ServedResource {
        let segments = uris.map { "#EXTINF:6,\n\($0)\n" }.joined()
        return ServedResource(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:7\n\(lines)\(segments)")
    }

    private static func bytes(_ count: Int, _ byte: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: count)
    }

    private static let mebibyte = 1 << 20

    private static func names(_ files: [String: [UInt8]]) -> [String] {
        files.keys.filter { !["evidence.json", "playlist.txt", "index.m3u8"].contains($0) }.sorted()
    }

    @Test func segments_areTheNewestThatFit() async throws {
        let folder = try AlertFolder()
        let resources = [
            "/index.m3u8": Self.playlist(["a.ts", "b.ts", "c.ts", "d.ts"]),
            "/a.ts": ServedResource(Self.bytes(100, 1)),
            "/b.ts": ServedResource(Self.bytes(3 * Self.mebibyte, 2)),
            "/c.ts": ServedResource(Self.bytes(3 * Self.mebibyte, 3)),
            "/d.ts": ServedResource(Self.bytes(3 * Self.mebibyte, 4)),
        ]
        let files = try await Self.evidence(of: resources, in: folder)
        #expect(Self.names(files) == ["segment-10.ts", "segment-9.ts"])
        #expect(files["segment-9.ts"] == Self.bytes(3 * Self.mebibyte, 3))
        let index = String(decoding: files["index.m3u8"] ?? [], as: UTF8.self)
        #expect(
            index == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:6
                #EXT-X-MEDIA-SEQUENCE:9
                #EXTINF:6.0,
                segment-9.ts
                #EXTINF:6.0,
                segment-10.ts
                #EXT-X-ENDLIST

                """)
    }

    @Test func segments_ofALongPlaylist_areTheNewest64() async throws {
        let folder = try AlertFolder()
        let names = (7..<107).map { "\($0).ts" }
        var resources = ["/index.m3u8": Self.playlist(names)]
        for name in names { resources["/\(name)"] = ServedResource(Self.bytes(10, 1)) }
        let files = try await Self.evidence(of: resources, in: folder)
        #expect(Set(Self.names(files)) == Set((43..<107).map { "segment-\($0).ts" }))
    }

    /// Each of the two newest segments takes half of the minute.
    @Test func segments_areThoseReadWithinOneMinute() async throws {
        let folder = try AlertFolder()
        var resources = ["/index.m3u8": Self.playlist(["a.ts", "b.ts", "c.ts", "d.ts"])]
        for name in ["a", "b", "c", "d"] { resources["/\(name).ts"] = ServedResource(Self.bytes(10, 1)) }
        let files = try await Self.evidence(
            of: resources, taking: ["/d.ts": 30, "/c.ts": 30], in: folder)
        #expect(Self.names(files) == ["segment-10.ts", "segment-9.ts"])
    }

    /// The two requests for the playlist leave two seconds of the minute, and the newest segment does not arrive.
    @Test func hangingSegment_timesOut_atTheEndOfTheMinute() async throws {
        let folder = try AlertFolder()
        let files = try await Self.evidence(
            of: [
                "/index.m3u8": Self.playlist(["a.ts", "b.ts"]), "/a.ts": ServedResource(Self.bytes(10, 1)),
            ], taking: ["/index.m3u8": 29, "/b.ts": 2], hanging: ["/b.ts"], in: folder)
        #expect(Self.names(files) == [])
        let facts = String(decoding: files["evidence.json"] ?? [], as: UTF8.self)
        #expect(facts.contains("timed out"), "\(facts.prefix(2_000))")
    }

    @Test func segment_largerThanTheLimit_isTruncated() async throws {
        let folder = try AlertFolder()
        let resources = [
            "/index.m3u8": Self.playlist(["a.ts", "b.ts"]), "/a.ts": ServedResource(Self.bytes(10, 1)),
            "/b.ts": ServedResource(Self.bytes(9 * Self.mebibyte, 2)),
        ]
        let files = try await Self.evidence(of: resources, in: folder)
        #expect(Self.names(files) == ["segment-8.ts"])
        #expect(files["segment-8.ts"] == Self.bytes(8 * Self.mebibyte, 2))
        let facts = String(decoding: files["evidence.json"] ?? [], as: UTF8.self)
        #expect(facts.contains("is larger than \(8 * Self.mebibyte) bytes"))
    }

    @Test func unavailableSegments_leaveNoGap() async throws {
        for (missing, kept) in [("c", ["7", "8"]), ("b", ["9"]), ("a", ["8", "9"])] {
            let folder = try AlertFolder()
            var resources = ["/index.m3u8": Self.playlist(["a.ts", "b.ts", "c.ts"])]
            for name in ["a", "b", "c"] where name != missing {
                resources["/\(name).ts"] = ServedResource(Self.bytes(10, 1))
            }
            let files = try await Self.evidence(of: resources, in: folder)
            #expect(Self.names(files) == kept.map { "segment-\($0).ts" }, "\(missing)")
            let facts = String(decoding: files["evidence.json"] ?? [], as: UTF8.self)
            #expect(facts.contains("the server answered 404"))
        }
    }

    @Test func initializationSegment_isSavedOnce_andReferenced() async throws {
        let folder = try AlertFolder()
        let resources = [
            "/index.m3u8": Self.playlist(
                ["a.m4s?x=1", "b.m4s"], before: "#EXT-X-MAP:URI=\"init.mp4?x=1\"\n"),
            "/a.m4s?x=1": ServedResource(Self.bytes(10, 1)), "/b.m4s": ServedResource(Self.bytes(11, 2)),
            "/init.mp4?x=1": ServedResource(Self.bytes(12, 3)),
        ]
        let files = try await Self.evidence(of: resources, in: folder)
        #expect(Self.names(files) == ["init-0.mp4", "segment-7.m4s", "segment-8.m4s"])
        #expect(files["init-0.mp4"] == Self.bytes(12, 3))
        let index = String(decoding: files["index.m3u8"] ?? [], as: UTF8.self)
        #expect(index.contains("#EXT-X-MAP:URI=\"init-0.mp4\"\n#EXTINF:6.0,\nsegment-7.m4s\n#EXTINF"))
    }

    @Test func encryptedSegment_isSavedDecrypted_withoutKey() async throws {
        let folder = try AlertFolder()
        let key = [UInt8](0..<16)
        let plain = Self.bytes(1_000, 0x47)
        let encrypted = try await FinishedProcess.of(
            "/usr/bin/openssl",
            [
                "enc", "-aes-128-cbc", "-K", "000102030405060708090a0b0c0d0e0f", "-iv",
                "00000000000000000000000000000007",
            ], input: Data(plain))
        let resources = [
            "/index.m3u8": Self.playlist(["a.ts"], before: "#EXT-X-KEY:METHOD=AES-128,URI=\"k?s=1\"\n"),
            "/k?s=1": ServedResource(key), "/a.ts": ServedResource([UInt8](encrypted.output)),
        ]
        let files = try await Self.evidence(of: resources, in: folder)
        #expect(files["segment-7.ts"] == plain)
        // The key is not saved, and the playlist does not refer to one.
        #expect(Self.names(files) == ["segment-7.ts"])
        #expect(!String(decoding: files["index.m3u8"] ?? [], as: UTF8.self).contains("KEY"))
    }

    /// A cookie may identify a session, so only the name of its field is saved.
    ///
    /// The result of a cache is not secret.
    @Test func headerFields_haveTheirValues_unlessSecret() async throws {
        let folder = try AlertFolder()
        let playlist = Self.playlist(["a.ts"]).with {
            $0.headers = ["Set-Cookie: session=abc123", "X-Cache: HIT"]
        }
        let files = try await Self.evidence(
            of: ["/index.m3u8": playlist, "/a.ts": ServedResource(Self.bytes(188, 1))], in: folder)
        let text = String(decoding: try #require(files["evidence.json"]), as: UTF8.self)
        #expect(text.contains("Set-Cookie: …") && text.contains("X-Cache: HIT"), "\(text)")
        #expect(!text.contains("abc123"))
    }

    @Test func responseThatIsNotAPlaylist_isNotedInTheEvidence() async throws {
        let folder = try AlertFolder()
        let files = try await Self.evidence(
            of: ["/index.m3u8": ServedResource("<html>no</html>")], in: folder)
        #expect(files["index.m3u8"] == nil)
        let facts = String(decoding: files["evidence.json"] ?? [], as: UTF8.self)
        #expect(facts.contains("not a playlist, but it looks like an HTML page"))
    }

    /// Alerts are raised together and their segments are saved later, so each queued alert reserves its space.
    @Test func queuedAlerts_reserveTheirSpace() throws {
        let folder = try AlertFolder()
        let server = try LoopbackServer(serving: [:])
        defer { server.stop() }
        for (name, mebibytes) in [("a-first", 100), ("b-later", 30)] {
            let path = "\(folder.path)/evidence/\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let seconds = Double(mebibytes == 100 ? 1_000 : 2_000)
            #expect(FileManager.default.createFile(atPath: path + "/1.ts", contents: nil))
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/1.ts"))
            try file.truncate(atOffset: UInt64(mebibytes) << 20)
            try file.close()
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path)
        }
        let recorder = EvidenceRecorder(folder: folder.path + "/evidence") { Issue.record("\($0)") }
        let subject = try Self.subject(server)
        for number in 1...16 {
            #expect(recorder.folder(for: Self.raised(number)) { _ in subject } != nil)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/evidence")
        #expect(names.count == 17 && names.contains("b-later") && !names.contains("a-first"))
    }

    @Test func alerts_beyondTheQueueLimit_haveNoEvidence() throws {
        let folder = try AlertFolder()
        let server = try LoopbackServer(serving: [:])
        defer { server.stop() }
        let recorder = EvidenceRecorder(folder: folder.path + "/evidence") { Issue.record("\($0)") }
        let subject = try Self.subject(server)
        let paths = (1...20).map { recorder.folder(for: Self.raised($0)) { _ in subject } }
        #expect(paths.prefix(16).allSatisfy { $0 != nil } && paths.dropFirst(16).allSatisfy { $0 == nil })
        #expect(Set(paths.compactMap { $0 }).count == 16)
        for (number, path) in [(3, paths[2]), (17, nil)] {
            let cleared = AlertChange.cleared(AlertFolder.alert("one", since: Double(number)))
            #expect(recorder.folder(for: cleared) { _ in nil } == path)
        }
    }
}
