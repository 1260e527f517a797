import Foundation
import Glibc
import HTTPServing
import HTTPTransfer
import StreamHealth
import StreamSynthesis
import TestSupport
import Testing

/// `dtvr synth --live` as a user runs it, and the results of the checks of its channels over time.
@Suite(.timeLimit(.minutes(30))) struct LiveSynthesisTests {
    /// Writes an hour of a channel as files, with a playlist that lists all of it.
    private static func hour(
        _ script: String, _ container: SynthesisSettings.Container = .transportStream
    ) throws -> TemporaryFolder {
        var settings = LiveSettings()
        settings.container = container
        settings.windowSegmentCount = 562
        settings.renditions = [.init(name: "main", video: nil)]
        let station = try SyntheticOrigin(settings, script: try LiveScript(parsing: script, channelCount: 1))
        let folder = try TemporaryFolder()
        // At its start, the playlist lists the previous hour; the times of the script are after it.
        let end = Duration.milliseconds(562 * 6_400)
        let text = String(
            decoding: station.answer(.init("/ch1/index.m3u8"), at: end).content.body, as: UTF8.self)
        var names = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        names += text.split(separator: "\"").filter { $0.hasSuffix(".bin") || $0.hasSuffix(".mp4") }
        for name in Set(names) {
            let answer = station.answer(.init("/ch1/\(name)"), at: end).content
            try #require(answer.status == 200, "\(name)")
            _ = try folder.write(String(name), answer.body)
        }
        _ = try folder.write("index.m3u8", (text + "#EXT-X-ENDLIST\n").utf8)
        return folder
    }

    private static func verdict(_ folder: TemporaryFolder) async throws -> [String: Any] {
        try await CheckTests.json(folder.path + "/index.m3u8").verdict
    }

    @Test(arguments: [SynthesisSettings.Container.transportStream, .fragmentedMP4])
    func hour_withoutAFault_passesEveryCheck(container: SynthesisSettings.Container) async throws {
        let verdict = try await Self.verdict(try Self.hour("", container))
        let statuses = CheckTests.statuses(verdict)
        let failed = statuses.filter { $0.value != "pass" && $0.value != "not-run" }
        #expect(failed == [:] && verdict["verdict"] as? String == "pass")
        #expect((verdict["tags"] as? [String: Int])?["data"] == 360)
        #expect(
            statuses["info.late"] == "pass" && statuses["time.rate"] == "pass"
                && statuses["tag.count"] == "pass")
    }

    @Test(arguments: [SynthesisSettings.Container.transportStream, .fragmentedMP4])
    func hour_withChangingKeys_isDecrypted(container: SynthesisSettings.Container) async throws {
        let folder = try Self.hour("at 10m for 40m channel 1: changed-key 1m", container)
        let verdict = try await Self.verdict(folder)
        #expect(verdict["verdict"] as? String == "pass")
        #expect((verdict["tags"] as? [String: Int])?["data"] == 360)
    }

    @Test func hour_withMissingTags_failsTheGapAndStepChecks() async throws {
        let verdict = try await Self.verdict(try Self.hour("at 30m for 1m channel 1: no-tags"))
        let failed = CheckTests.statuses(verdict).filter { $0.value == "fail" }.keys.sorted()
        #expect(failed == ["sequence.step", "time.gap"])
        #expect((verdict["tags"] as? [String: Int])?["data"] == 354)
    }

    @Test func hour_withAdBreaks_failsNoCheck() async throws {
        let folder = try Self.hour("at 10m every 15m for 2m channel 1: ad-break")
        let verdict = try await Self.verdict(folder)
        #expect(CheckTests.statuses(verdict).filter { $0.value == "fail" } == [:])
    }

    // MARK: The tool

    @Test(arguments: ["ts", "fmp4"])
    func channels_areReadByTheToolAndByFFprobe(container: String) async throws {
        let station = try await RunningStation.start(
            "--channels", "2", "--container", container, "--seed", "7")
        var owners: [Set<Substring>] = []
        for url in station.urls {
            let (status, verdict) = try await CheckTests.json(url)
            #expect(status == 0 && verdict["verdict"] as? String == "pass", "\(verdict)")
            let scan = try await SettingEffectTests.output("scan", "--format", "jsonl", url)
            owners.append(Set(scan.split(separator: "\"").filter { $0.hasPrefix("www.nielsen.com/") }))
        }
        // 38.4 s contain three or four DATA tags.
        #expect(owners.allSatisfy { $0.count >= 3 } && owners[0].isDisjoint(with: owners[1]))
        let ffprobe = "/usr/bin/ffprobe"
        guard FileManager.default.isExecutableFile(atPath: ffprobe) else { return }
        let finished = try await FinishedProcess.of(
            ffprobe, ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", station.urls[1]])
        let codecs = Set(
            String(decoding: finished.output, as: UTF8.self).split(whereSeparator: \.isWhitespace))
        #expect(codecs.isSuperset(of: ["h264", "aac"]) && finished.status == 0)
        #expect(finished.errors.isEmpty, "\(String(decoding: finished.errors, as: UTF8.self))")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func signal_endsTheOriginWithinFiveSeconds_evenDuringASlowDrip(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let script = try folder.write("drip", "at 0 channel 1: slow-drip 1\n".utf8)
        let station = try await RunningStation.start("--script", script)
        let reader = try Tool.start(
            arguments: ["scan", station.urls[0].replacing("index.m3u8", with: "seg1003.ts")],
            home: folder.path)
        defer { reader.killAndWait() }
        // Long enough for the request on all but the slowest machines; the origin ends as quickly without it.
        try await onOwnThread { _ = poll(nil, 0, 300) }
        // A service that needs more than five seconds exits with another status.
        #expect(await station.stop(signal) == 0)
    }

    @Test func bitrate_padsTheSegments() async throws {
        let station = try await RunningStation.start("--bitrate", "640")
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        var size = 0
        // On a slow machine, a segment may leave the window before it is requested.
        try await wait(for: "a segment") {
            let playlist = try await client.send(HTTPRequest(url: station.urls[0])).body
            let name = try #require(String(decoding: playlist, as: UTF8.self).split(separator: "\n").last)
            let address = station.urls[0].replacing("index.m3u8", with: name)
            let response = try await client.send(HTTPRequest(url: address))
            size = response.body.count
            return response.status == 200
        }
        #expect((511_000...513_000).contains(size))
    }
}
