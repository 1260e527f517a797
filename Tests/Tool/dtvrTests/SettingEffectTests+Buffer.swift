import Foundation
import HostSystem
import TagStore
import TestSupport
import Testing

extension SettingEffectTests {
    /// Returns the state of a buffer, decoded from JSON.
    static func state(of store: String, _ more: String...) async throws -> [String: Any] {
        let result = try await Tool.run(
            arguments: ["store", "status", "--format", "json", "--store", store] + more)
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(object as? [String: Any], "\(result.errors)")
    }

    private static func losses(of store: String, by cause: String) async throws -> Int? {
        try await state(of: store)["losses"].flatMap { $0 as? [String: Int] }?[cause]
    }

    static func storeFolder(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        _ = try await output("run", segment, "--store", store)
        #expect(try await state(of: store)["waiting"] as? Int == 1)
    }

    /// Within one boot, no clock needs to be synchronized.
    static func age(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        _ = try await output("run", segment, "--store", store)
        #expect(try await status("store", "list", "--store", store, "--max-age", "1h") == 0)
        #expect(try await losses(of: store, by: "expired") == 0)
        #expect(try await status("store", "list", "--store", store, "--max-age", "0.001s") == 0)
        #expect(try await losses(of: store, by: "expired") == 1)
        #expect(StoreStatus.lastWritten(in: store)?.maximumAgeMilliseconds == 864_000_000)
        #expect(try await status("store", "list", "--store", store, "--max-age", "1h") == 0)
        #expect(StoreStatus.lastWritten(in: store)?.maximumAgeMilliseconds == 3_600_000)
        #expect(try await status("store", "list", "--store", store, "--max-age", "0s") == 2)
    }

    static func pruning(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        _ = try await output("run", segment, "--store", store)
        #expect(
            try await output("store", "prune", "--older-than", "1d", "--store", store) == "pruned 0 tags\n")
        #expect(
            try await output("store", "prune", "--older-than", "0s", "--store", store) == "pruned 1 tag\n")
        #expect(try await losses(of: store, by: "pruned") == 1)
    }

    /// The flag selects only the dead letters, and there are none.
    static func deadLetters(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        _ = try await output("run", segment, "--store", store)
        #expect(try await output("store", "export", "--store", store).contains("www.nielsen.com/"))
        #expect(try await output("store", "export", "--dead", "--store", store).isEmpty)
    }

    /// The test holds the buffer, and releases it while the second call waits.
    static func heldBuffer(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        let buffer = try await TagBuffer.open(directory: store)
        let short = try await Tool.run("store", "list", "--store", store, "--wait", "0.001s")
        // A wait is reported only if it takes a second or more.
        #expect(short.status == 4 && !short.errors.contains("waiting for the buffer"), "\(short.errors)")
        let errors = Pipe()
        let waiting = try Tool.start(
            arguments: ["store", "list", "--store", store, "--wait", "1h"], home: folder.path,
            errors: errors.fileHandleForWriting)
        defer { waiting.killAndWait() }
        try errors.fileHandleForWriting.close()
        #expect(
            try await errors.fileHandleForReading.firstLine(of: waiting).contains("waiting for the buffer"))
        await buffer.close()
        #expect(await waiting.exitStatus() == 0)
    }

    /// Fills a buffer of the smallest size until it is full.
    private static func fill(_ store: String) async throws {
        let buffer = try await TagBuffer.open(
            directory: store,
            settings: StoreSettings(maximumByteCount: 2_000_000, fullPolicy: .refuseNewest))
        // A buffer that is too full for a large body still has space for a small one.
        for byteCount in [4_000, 400, 1] {
            var count = 0
            do {
                while count < 10_000 {
                    // Compression does not make these smaller.
                    let body = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }
                    _ = try await buffer.append([NewTag(body: body)])
                    count += 1
                }
            } catch {
                #expect(error == .full)
            }
            #expect(count < 10_000)
        }
        await buffer.close()
    }

    static func size(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        try await fill(store)
        let bound = ["--when-full", "refuse-newest", "--max-bytes"]
        let full = try await Tool.run(arguments: ["run", segment, "--store", store] + bound + ["2000000"])
        #expect(full.status == 4 && full.output.contains("refused    1 tag,"), "\(full)")
        let larger = try await Tool.run(arguments: ["run", segment, "--store", store] + bound + ["4MB"])
        #expect(larger.status == 0 && !larger.output.contains("refused"), "\(larger)")
        #expect(try await state(of: store, "--max-bytes", "4MB")["max_bytes"] as? Int == 4_000_000)
        #expect(try await status("store", "list", "--store", store, "--max-bytes", "1999999") == 2)
    }

    static func fullBuffer(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        try await fill(store)
        let call = ["run", segment, "--store", store, "--max-bytes", "2000000", "--when-full"]
        let refusing = try await Tool.run(arguments: call + ["refuse-newest"])
        #expect(refusing.status == 4 && refusing.output.contains("refused    1 tag,"), "\(refusing)")
        #expect(try await losses(of: store, by: "evicted") == 0)
        let evicting = try await Tool.run(arguments: call + ["evict-oldest"])
        #expect(evicting.status == 0 && !evicting.output.contains("refused"), "\(evicting)")
        #expect(try #require(await losses(of: store, by: "evicted")) > 0)
    }

    static func outputFile(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        _ = try await output("run", segment, "--store", store)
        for (call, start) in [
            (["check", segment], "PASS "), (["store", "export", "--store", store], "{\"id\""),
        ] {
            let file = folder.path + "/output"
            let result = try await Tool.run(arguments: call + ["--output", file])
            #expect(result.status == 0 && result.output.isEmpty)
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
            #expect(text.hasPrefix(start), "\(text)")
        }
    }
}
