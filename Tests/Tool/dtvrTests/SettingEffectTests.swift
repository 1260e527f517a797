import Foundation
import TestSupport
import Testing

@testable import dtvr

/// Every setting has its intended effect in the built tool.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SettingEffectTests {
    /// A function that shows the effect of a setting, with a separate folder.
    typealias Effect = @Sendable (TemporaryFolder) async throws -> Void

    static let playlist = Tool.demo + "/index.m3u8"
    static let segment = Tool.demo + "/v360/seg00001.ts"

    /// The effects of the settings.
    ///
    /// A setting without an effect here fails `everySetting_hasAnEffectTest`.
    static let commonEffects: [String: Effect] = [
        "config": config, "color": color, "format": formats, "output": outputFile,
        "against": against, "owners": owners, "explain": explain, "list": list,
        "strict": strict, "header": connection, "client-cert": connection, "proxy": connection,
        "channel": connection,
    ]
    static let readingEffects: [String: Effect] = [
        "all": otherOwners, "rendition": renditions, "allow-private": privateAddresses, "jobs": jobs,
        "max-segment-bytes": segmentLimit, "inputs": inputList, "separate": separateSegments, "shard": shards,
        "resume": resumedCheck, "show-secrets": shownSecrets,
    ]
    static let bufferEffects: [String: Effect] = [
        "store": storeFolder, "max-age": age, "max-bytes": size, "when-full": fullBuffer,
        "older-than": pruning,
        "dead": deadLetters, "wait": heldBuffer,
    ]
    static let deliveryEffects: [String: Effect] = [
        "collector": collector, "listen": listen, "dir": collectedFolder, "token-file": token,
        "listen-token-file": listenToken,
        "cacert": authorities, "certificate": certificate, "key": certificate, "follow": follow,
        "ledger": ledger, "retention": retention, "allow-plain": plainHTTP, "from": reportDays,
        "to": reportDays,
        "channel": reportChannels, "time-zone": reportChannels,
    ]
    /// `AlertDeliveryTests` shows the other effects of these settings.
    static let alertEffects: [String: Effect] = [
        "alert-webhook": alertWebhook, "alert-key-file": alertWebhook, "alert-command": alertCommand,
        "alert-format": alertFormat, "public-url": publicURL, "docs": documentation,
    ]
    static let synthesisEffects: [String: Effect] = [
        "duration": duration, "bitrate": bitrate, "container": container, "seed": seed, "fault": fault,
        "overwrite": overwrite, "live": live, "channels": channels, "script": script,
        "check-config": checkedConfiguration, "connect": connectedConfiguration,
    ]
    static let replayEffects: [String: Effect] = [
        "player-config": playerConfiguration, "speed": speed, "keep-repeats": keepRepeats, "log": log,
        "timeout": timeout,
        "market": market, "platform": platform,
    ]

    @Test func everySetting_hasAnEffectTest() {
        let all = [
            Self.commonEffects, Self.readingEffects, Self.bufferEffects, Self.deliveryEffects,
            Self.alertEffects, Self.synthesisEffects, Self.replayEffects,
        ]
        #expect(Set(all.flatMap(\.keys)) == Set(ConfigurationKey.all.filter { !$0.isLimit }.map(\.name)))
        #expect(LimitEffectTests.covered == Set(ConfigurationKey.all.filter(\.isLimit).map(\.name)))
    }

    @Test(arguments: commonEffects.keys.sorted())
    func commonSetting_hasItsEffect(name: String) async throws {
        try await Self.show(Self.commonEffects[name])
    }

    @Test(arguments: readingEffects.keys.sorted())
    func readingSetting_hasItsEffect(name: String) async throws {
        try await Self.show(Self.readingEffects[name])
    }

    @Test(arguments: replayEffects.keys.sorted())
    func replaySetting_hasItsEffect(name: String) async throws {
        try await Self.show(Self.replayEffects[name])
    }

    @Test(arguments: bufferEffects.keys.sorted())
    func bufferSetting_hasItsEffect(name: String) async throws {
        try await Self.show(Self.bufferEffects[name])
    }

    @Test(arguments: deliveryEffects.keys.sorted())
    func deliverySetting_hasItsEffect(name: String) async throws {
        try await Self.show(Self.deliveryEffects[name])
    }

    @Test(arguments: alertEffects.keys.sorted())
    func alertSetting_hasItsEffect(name: String) async throws {
        try await Self.show(Self.alertEffects[name])
    }

    @Test(arguments: synthesisEffects.keys.sorted())
    func synthesisSetting_hasItsEffect(name: String) async throws {
        try await Self.show(Self.synthesisEffects[name])
    }

    private static func show(_ effect: Effect?) async throws {
        let effect = try #require(effect)
        try await effect(try TemporaryFolder())
    }

    // MARK: What the effects are made of

    /// Returns the output of a call, which must exit with 0.
    static func output(
        _ arguments: String..., location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await Tool.run(arguments: arguments)
        #expect(result.status == 0, "\(result.errors)", sourceLocation: location)
        return result.output
    }

    /// Returns the exit status of a call.
    static func status(_ arguments: String...) async throws -> Int32 {
        try await Tool.run(arguments: arguments).status
    }

    // MARK: All commands

    private static func config(_ folder: TemporaryFolder) async throws {
        let file = try folder.write("settings", "format = csv\n".utf8)
        #expect(try await output("scan", "--config", file, segment).hasPrefix("source,"))
        #expect(try await status("scan", "--config", folder.path + "/none", segment) == 2)
        let named = try await Tool.run("scan", segment, environment: ["DTVR_CONFIG": file])
        #expect(named.output.hasPrefix("source,"), "\(named)")
        // A file that is named must exist; the flag has precedence over the variable.
        let missing = ["DTVR_CONFIG": folder.path + "/none"]
        #expect(try await Tool.run("scan", segment, environment: missing).status == 2)
        #expect(try await Tool.run("scan", "--config", file, segment, environment: missing).status == 0)
    }

    private static func color(_ folder: TemporaryFolder) async throws {
        #expect(try await output("scan", "--color", "always", segment).contains("\u{1B}["))
        #expect(!(try await output("scan", "--color", "never", segment).contains("\u{1B}[")))
    }

    private static func formats(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        let log = try folder.write("log", try await output("scan", "--format", "jsonl", segment).utf8)
        _ = try await output("run", segment, "--store", store)
        let starts: [(call: [String], format: String, start: String)] = [
            (["scan", segment], "text", "     SECONDS"), (["scan", segment], "jsonl", "{\"source\""),
            (["scan", segment], "csv", "source,"),
            (["check", segment], "text", "PASS "), (["check", segment], "json", "{\"source\""),
            (["check", segment], "csv", "source,"), (["check", segment], "html", "<!DOCTYPE html>"),
            (["check", segment], "junit", "<?xml"),
            (["tag"], "text", "source"), (["tag"], "jsonl", "{\"owner\""), (["tag"], "csv", "owner,"),
            (["store", "status", "--store", store], "text", "buffer"),
            (["store", "status", "--store", store], "json", "{\"directory\""),
        ]
        let text = try Data(contentsOf: URL(fileURLWithPath: log))
        for (call, format, start) in starts {
            let result = try await Tool.run(arguments: call + ["--format", format], input: text)
            #expect(result.status == 0 && result.output.hasPrefix(start), "\(call) \(format): \(result)")
        }
    }

    // MARK: check

    private static func against(_ folder: TemporaryFolder) async throws {
        // The reference has tags that the stream lacks, because their segments are not in its playlist.
        let part = try folder.write("part.m3u8", EndlessInputTests.playlist([segment]).utf8)
        let rows = CheckTests.statuses(try await CheckTests.json("--against", playlist, part).verdict)
        #expect(rows["rendition.tags-differ"] == "pass")
        #expect(
            CheckTests.statuses(try await CheckTests.json(part).verdict)["rendition.tags-differ"] == "not-run"
        )
        #expect(try await status("check", "--against", "/no/such.m3u8", playlist) == 3)
    }

    private static func owners(_ folder: TemporaryFolder) async throws {
        let log = try folder.write("log", try await output("scan", "--format", "jsonl", playlist).utf8)
        let verdict = try await CheckTests.json("--owners", log).verdict
        #expect((verdict["tags"] as? [String: Int])?["data"] == 12)
    }

    private static func explain(_ folder: TemporaryFolder) async throws {
        #expect(try await output("check", "--explain", "time.gap").hasPrefix("time.gap: "))
    }

    private static func strict(_ folder: TemporaryFolder) async throws {
        let store = folder.path + "/store"
        for (limit, flags, status) in [
            ("9s", [], Int32(0)), ("9s", ["--strict"], 1), ("10s", ["--strict"], 0),
        ] {
            let call = ["run", "--limit-longest-tag", limit, segment, "--store", store]
            #expect(try await Tool.run(arguments: call + flags).status == status, "\(limit) \(flags)")
        }
        // The tags are stored nevertheless, and the lack of any input remains the more serious failure.
        #expect(try await output("store", "status", "--store", store).contains("3 tags"))
        for format in ["json", "jsonl", "junit", "sarif", "github"] {
            let empty = try folder.write("other.aac", Self.packedAudio)
            let call = ["check", "--format", format, empty]
            #expect(try await Tool.run(arguments: call).status == 0)
            let result = try await Tool.run(arguments: call + ["--strict"])
            #expect(result.status == 1 && result.output.contains("no DATA tag was judged"), "\(result)")
            #expect(result.errors.contains("--strict: no DATA tag was judged"))
        }
        let part = try await Tool.run(arguments: ["check", "--strict", segment, "/no/such.m3u8"])
        #expect(part.status == 1 && part.errors.contains("no such file"))
        let none = ["run", "/no/such.ts", "--strict", "--store", store]
        #expect(try await Tool.run(arguments: none).status == 3)
    }

    /// `InputConnectionTests` shows the other effects of these settings.
    private static func connection(_ folder: TemporaryFolder) async throws {
        let server = try LoopbackServer { _ in [response("403 Forbidden")] }
        defer { server.stop() }
        let file = try folder.write(
            "channels", "[channel one]\nurl = \(server.base)/one.m3u8\nheader = A: b\n".utf8)
        let call = ["check", "--channels", file, "--channel", "one"]
        #expect(try await Tool.run(arguments: call).status == 3)
        #expect(server.requests.first?.header.contains("A: b") == true)
    }

    private static func list(_ folder: TemporaryFolder) async throws {
        #expect(try await output("check", "--list").contains("\ntime.gap "))
    }
}
