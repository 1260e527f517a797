import Foundation
import TestSupport
import Testing

/// Tags that a collector permanently refused are reported until they are retried or pruned.
@Suite(.timeLimit(.minutes(30))) struct DeadLetterTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// A collector's code may have marks that change the direction of the text around it.
    @Test func list_showsTheCodeOfACollector_withoutControlCharacters() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let server = try LoopbackServer { request in
            guard request.field("Content-Encoding") == nil else {
                let error = #"{"error":{"code":"unsupported_encoding","message":""}}"#
                return [response("415 Unsupported Media Type", error)]
            }
            let rejected = request.body.matches(of: /"id":"([^"]+)"/).map {
                #"{"id":"\#($0.output.1)","code":"bad\#u{202E}tag"}"#
            }
            return [response("200 OK", #"{"accepted":0,"rejected":[\#(rejected.joined(separator: ","))]}"#)]
        }
        defer { server.stop() }
        let run = try await Tool.run("run", Self.playlist, "--store", store, "--collector", server.base + "/")
        #expect(run.status == 5, "\(run.errors)")
        let list = try await Tool.run("store", "list", "--dead", "--store", store)
        #expect(list.output.contains("bad<202E>tag") && !list.output.contains("\u{202E}"), "\(list.output)")
    }

    @Test func deadLetters_areReportedUntilTheyAreRetriedAndDelivered() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let picky = try await RunningCollector.start(
            folder: folder.path + "/collected", "--fault", "poison=3 poison=7,answer=422")
        let run = try await Tool.run("run", Self.playlist, "--store", store, "--collector", picky.url)
        #expect(run.status == 5)
        #expect(run.errors.contains("2 tags were permanently refused"), "\(run.errors)")
        #expect(run.errors.contains("dtvr store list --dead"), "\(run.errors)")
        await picky.stop()

        let list = try await Tool.run("store", "list", "--dead", "--store", store)
        #expect(list.status == 0)
        #expect(list.outputLines.count == 3 && list.output.contains("bad_tag"), "\(list.output)")
        #expect(try await Tool.run("store", "list", "--store", store).outputLines.count == 1)
        try await Self.expectJSON(of: ["--dead"], in: store, count: 2)
        try await Self.expectJSON(of: [], in: store, count: 0)

        let export = try await Tool.run("store", "export", "--dead", "--store", store)
        #expect(export.status == 0)
        let objects = try export.outputLines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.count == 2)
        for object in objects {
            #expect((object["owner"] as? String)?.hasPrefix("www.nielsen.com/") == true)
            #expect(object["code"] as? String == "bad_tag" && object["refused"] as? String != nil)
        }
        #expect(try await Tool.run("store", "export", "--store", store).output.isEmpty)

        let mended = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = ["upload", "--store", store, "--collector", mended.url]
        // There is nothing to send, but the alert remains.
        let alert = try await Tool.run(arguments: upload)
        #expect(
            alert.status == 5 && alert.errors.contains("2 tags were permanently refused"), "\(alert.errors)")
        let again = try await Tool.run("run", Self.playlist, "--store", store + "2")
        #expect(again.status == 0)

        let retry = try await Tool.run("store", "retry", "--store", store)
        #expect(retry.status == 0 && retry.output == "put back 2 tags\n", "\(retry.output)\(retry.errors)")
        #expect(try await Tool.run("store", "list", "--dead", "--store", store).outputLines.count == 1)
        #expect(try await Tool.run("store", "list", "--store", store).outputLines.count == 3)
        #expect(try await Tool.run("store", "verify", "--store", store).status == 0)
        let sent = try await Tool.run(arguments: upload)
        #expect(sent.status == 0 && sent.errors.isEmpty, "\(sent.errors)")
        #expect(try await mended.counts().prefix(2) == [13, 0])
        let status = try await Tool.run("store", "status", "--store", store)
        for part in ["accepted   13\n", "delivered  13,", "lost       0:"] {
            #expect(status.output.contains(part), "\(status.output)")
        }
        #expect(try await Tool.run("store", "retry", "--store", store).output == "put back 0 tags\n")
    }

    @Test func deadLetters_areReported_whenTheyOccurAndWhenAServiceStarts() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        let picky = try await RunningCollector.start(
            folder: folder.path + "/collected", "--fault", "poison=1")
        for line in ["sending to", "1 tag was permanently refused"] {
            let errors = Pipe()
            let follower = try Tool.start(
                arguments: ["upload", "--follow", "--store", store, "--collector", picky.url],
                home: folder.path, errors: errors.fileHandleForWriting)
            defer { follower.killAndWait() }
            try errors.fileHandleForWriting.close()
            let handle = errors.fileHandleForReading
            let lines = [try await handle.firstLine(of: follower), try await handle.firstLine(of: follower)]
            #expect(lines[0].contains(line), "\(lines)")
            // The first process causes the dead letter, and the second one finds it.
            #expect(lines.contains { $0.contains("1 tag was permanently refused") }, "\(lines)")
            follower.signal(SIGTERM)
            #expect(await follower.exitStatus() == 0)
        }
    }

    @Test func run_withDeadLettersAndNoCollector_exitsWith5() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let picky = try await RunningCollector.start(
            folder: folder.path + "/collected", "--fault", "poison=1")
        #expect(
            try await Tool.run("run", Self.playlist, "--store", store, "--collector", picky.url).status == 5)
        let run = try await Tool.run("run", Self.playlist, "--store", store)
        #expect(run.status == 5 && run.errors.contains("1 tag was permanently refused"), "\(run.errors)")
    }

    @Test(arguments: [413, 400]) func run_refusedByAGateway_keepsTheTagsAndExitsWith5(
        status: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let server = try LoopbackServer { _ in
            [response("\(status) No", #"{"error":{"code":"Refused","message":"no"}}"#)]
        }
        defer { server.stop() }
        let run = try await Tool.run("run", Self.playlist, "--store", store, "--collector", server.base)
        #expect(run.status == 5)
        #expect(run.errors.contains("13 records stay in the buffer"), "\(run.errors)")
        let text = try await Tool.run("store", "status", "--store", store).output
        #expect(text.contains("waiting    13 tags") && text.contains("holding until"), "\(text)")
    }

    /// Expects that the array of `list --format json` has the same objects as `export`.
    private static func expectJSON(of flags: [String], in store: String, count: Int) async throws {
        let tail = flags + ["--store", store]
        let list = try await Tool.run(arguments: ["store", "list", "--format", "json"] + tail)
        let export = try await Tool.run(arguments: ["store", "export"] + tail)
        let objects = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [NSDictionary]
        let lines = try export.outputLines.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary
        }
        #expect(list.status == 0 && objects == lines && lines.count == count, "\(list)")
        #expect(flags.isEmpty || objects?.allSatisfy { $0["code"] as? String == "bad_tag" } == true)
    }
}
