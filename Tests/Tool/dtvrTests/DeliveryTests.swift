import Foundation
import Synchronization
import TestSupport
import Testing

/// From a stream to a collector, through every kind of failure, with the tool itself at both ends.
@Suite(.timeLimit(.minutes(30))) struct DeliveryTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// Returns the status of the buffer.
    private static func store(_ path: String) async throws -> [String: Any] {
        let result = try await Tool.run("store", "status", "--format", "json", "--store", path)
        #expect(result.status == 0, "\(result.errors)")
        return try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    @Test func run_withACollector_deliversEachTagOnce() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let store = folder.path + "/store"
        for expected in [[13, 0, 0], [13, 13, 0]] {
            let result = try await Tool.run(
                "run", Self.playlist, "--store", store, "--collector", collector.url)
            #expect(result.status == 0, "\(result.errors)")
            #expect(try await collector.counts() == expected)
            let line = expected[1] == 0 ? "13 tags delivered in 1 batch\n" : ": 0 accepted, 13 duplicate\n"
            #expect(result.output.contains(line), "\(result.output)")
            #expect(result.outputLines.last == "verdict    pass")
            #expect(try await Self.store(store)["waiting"] as? Int == 0)
        }
    }

    @Test func collectedOwners_matchTheStreamByteForByte() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let run = try await Tool.run(
            "run", Self.playlist, "--store", folder.path + "/store", "--collector", collector.url)
        #expect(run.status == 0)
        await collector.stop()
        let received = try RunningCollector.records(in: folder.path + "/collected").compactMap {
            $0["owner"] as? String
        }
        let scan = try await Tool.run("scan", "--format", "jsonl", Self.playlist)
        let read = try scan.outputLines.map { line in
            try #require(
                (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["owner"]
                    as? String)
        }
        #expect(read.count == 13)
        #expect(received == read)
    }

    @Test func run_withTheCollectorStopped_keepsTheTagsAndUploadDeliversThemOnce() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        // The port of a collector that was stopped may be that of another test's collector by now.
        let closed = "http://127.0.0.1:1/"
        let run = try await Tool.run("run", Self.playlist, "--store", store, "--collector", closed)
        #expect(run.status == 5)
        #expect(run.errors.contains("13 records"), "\(run.errors)")
        #expect(try await Self.store(store)["waiting"] as? Int == 13)

        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await Tool.run("upload", "--store", store, "--collector", collector.url)
        #expect(upload.status == 0, "\(upload.errors)")
        #expect(try await collector.counts() == [13, 0, 0])
        #expect(try await Self.store(store)["waiting"] as? Int == 0)
        let again = try await Tool.run("upload", "--store", store, "--collector", collector.url)
        #expect(again.status == 0)
        #expect(try await collector.counts() == [13, 0, 0])
    }

    /// From the start, through a hold and a back-off, to the end, in the formats for users and for scripts.
    @Test func storeStatus_showsTheDeliveryState() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        func delivery() async throws -> [String: Any] {
            try #require(try await Self.store(store)["delivery"] as? [String: Any])
        }
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        var state = try await delivery()
        #expect(state["state"] as? String == "idle" && state["last_success"] is NSNull)

        let token = try folder.write("token", "tell-nobody".utf8)
        let collector = try await RunningCollector.start(
            folder: folder.path + "/collected", "--token-file", token, "--fault", "status=503@first=99")
        #expect(try await Tool.run("upload", "--store", store, "--collector", collector.url).status == 5)
        state = try await delivery()
        #expect(state["state"] as? String == "holding")
        #expect((state["reason"] as? String)?.contains("401") == true, "\(state)")
        #expect(state["until"] as? String != nil && state["failures"] as? Int == 1)
        #expect(
            try await Tool.run("store", "status", "--store", store).output.contains(
                "delivery   holding until 2"))

        let upload = ["upload", "--store", store, "--collector", collector.url, "--token-file", token]
        #expect(try await Tool.run(arguments: upload).status == 5)
        state = try await delivery()
        #expect(state["state"] as? String == "backing-off")
        #expect((state["reason"] as? String)?.contains("503") == true, "\(state)")
        #expect(
            try await Tool.run("store", "status", "--store", store).output.contains("delivery   backing off"))
        await collector.stop()

        let mended = try await RunningCollector.start(
            folder: folder.path + "/collected", "--token-file", token)
        #expect(
            try await Tool.run(
                "upload", "--store", store, "--collector", mended.url, "--token-file", token
            ).status == 0)
        state = try await delivery()
        #expect(state["state"] as? String == "idle" && state["reason"] is NSNull)
        #expect(state["failures"] as? Int == 0 && state["last_success"] as? String != nil)
    }

    @Test func storeStatus_showsAgesAndFiles() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        let status = try await Self.store(store)
        let oldest = try #require(status["oldest_received"] as? String)
        let newest = try #require(status["newest_received"] as? String)
        #expect(oldest <= newest)
        #expect(try #require(status["oldest_age_seconds"] as? Double) < 3_600)
        #expect(status["max_age_seconds"] as? Double == 864_000)
        #expect(status["age_enforced"] as? Bool == true && status["age_reason"] is NSNull)
        let files = try #require(status["files"] as? [String: Int])
        #expect(Set(files.keys) == ["database", "wal", "reserve", "high_water", "status", "other"])
        #expect(files.values.reduce(0, +) == status["bytes"] as? Int)
        #expect(try #require(files["database"]) > 4_096)
        let text = try await Tool.run("store", "status", "--store", store).output
        for part in [
            "the oldest from 2", "a tag is kept for up to 10 days\n", "the newest from 2", "database ",
            "reserve ", "delivery   idle",
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test func secrets_inTheCollectorAddress_areNotPrinted() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let authority = collector.url.dropFirst("http://".count)
        let address = "http://somebody:password-1@\(authority)?key=secret-2"
        for call in [["run", Self.playlist], ["upload"]] {
            let result = try await Tool.run(
                arguments: call + ["--store", folder.path + "/store", "--collector", address])
            #expect(result.outputLines.contains { $0.hasPrefix("collector  http://\(authority)") })
            for secret in ["somebody", "password-1", "secret-2"] {
                #expect(!(result.output + result.errors).contains(secret))
            }
        }
    }

    /// A user waits for these commands, so they give up instead of waiting for twenty seconds.
    @Test func command_whoseCollectorAsksToWait_givesUp() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        for command in [["run", Self.playlist], ["upload"]] {
            let count = Mutex(0)
            let collector = try LoopbackServer { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number > 1 { return [response("200 OK", #"{"accepted":13,"duplicate":0,"rejected":[]}"#)] }
                return [response("503 Service Unavailable", headers: ["Retry-After: 20"])]
            }
            defer { collector.stop() }
            let result = try await Tool.run(
                arguments: command + ["--store", store, "--collector", collector.base + "/"])
            #expect(result.status == 5, "\(command): \(result.errors)")
        }
    }

    @Test func run_withoutACollector_keepsTheTagsAndReportsIt() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let result = try await Tool.run("run", Self.playlist, "--store", store)
        #expect(result.status == 0)
        #expect(result.errors.contains("no collector"), "\(result.errors)")
        #expect(try await Self.store(store)["waiting"] as? Int == 13)
    }

    @Test func run_ofAFaultyStream_printsItsVerdictAndExitsWith0() async throws {
        let folder = try TemporaryFolder()
        let stream = folder.path + "/stream"
        let made = try await Tool.run("synth", stream, "--fault", "tag.checksum", "--duration", "50s")
        #expect(made.status == 0, "\(made.errors)")
        let result = try await Tool.run("run", stream + "/index.m3u8", "--store", folder.path + "/store")
        #expect(result.status == 0)
        let verdict = try #require(result.outputLines.last)
        #expect(verdict.hasPrefix("verdict    fail: ") && verdict.contains("tag.checksum ("), "\(verdict)")
    }

    @Test func run_withAStoreThatIsAFile_exitsWith4() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("store", "no folder".utf8)
        let result = try await Tool.run("run", Self.playlist, "--store", file)
        #expect(result.status == 4)
        #expect(result.errors.contains(file))
    }

    @Test func run_withAnInvalidToken_keepsTheTags() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let right = try folder.write("right", "tell-nobody\n".utf8)
        let collector = try await RunningCollector.start(
            folder: folder.path + "/collected", "--token-file", right)
        let refused = try await Tool.run(
            "run", Self.playlist, "--store", store, "--collector", collector.url,
            environment: ["DTVR_TOKEN": "wrong-token"])
        #expect(refused.status == 5)
        #expect(!(refused.errors + refused.output).contains("wrong-token"))
        let accepted = try await Tool.run(
            "upload", "--store", store, "--collector", collector.url, "--token-file", right)
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(!(accepted.errors + accepted.output).contains("tell-nobody"))
        #expect(try await collector.status(token: "tell-nobody")["accepted"] as? Int == 13)
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
    func https_isTrustedOnlyWithItsAuthority() async throws {
        let folder = try TemporaryFolder()
        let (certificate, key) = try await RunningCollector.certificate(in: folder)
        let collector = try await RunningCollector.start(
            folder: folder.path + "/collected", "--certificate", certificate, "--key", key)
        #expect(collector.url.hasPrefix("https://"))
        let store = folder.path + "/store"
        let untrusted = try await Tool.run(
            "run", Self.playlist, "--store", store, "--collector", collector.url)
        #expect(untrusted.status == 5)
        let trusted = try await Tool.run(
            "upload", "--store", store, "--collector", collector.url, "--cacert", certificate)
        #expect(trusted.status == 0, "\(trusted.errors)")
    }
}
