import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import StreamSynthesis
@testable import dtvr

/// Every limit of a check takes effect exactly at its value, in the built tool.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LimitEffectTests {
    private static let stream = Tool.demo + "/index.m3u8"

    /// The effect of a limit: the check, and its statuses at two values on either side of the threshold.
    struct Effect: Sendable {
        let check: String
        let statuses: [(value: String, status: String)]
        /// Additional options.
        var others: [String] = []
        /// The fault that the tags in a log have; nil for the demonstration stream.
        var fault: SynthesisFault?
    }

    /// The demonstration stream lasts 120 s and has 12 DATA tags of 10 s each.
    static let effects: [String: Effect] = [
        "limit-owner-minimum-duration": Effect(
            check: "carriage.owner-present", statuses: [("120s", "pass"), ("120.001s", "not-run")]),
        "limit-count-minimum-duration": Effect(
            check: "tag.count", statuses: [("120s", "pass"), ("120.001s", "not-run")]),
        "limit-count-grace": Effect(
            check: "tag.count", statuses: [("3s", "warn"), ("3.001s", "pass")],
            others: ["--limit-count-interval", "9s"]),
        "limit-count-interval": Effect(
            check: "tag.count", statuses: [("9s", "warn"), ("9.001s", "pass")],
            others: ["--limit-count-grace", "3s"]),
        "limit-longest-tag": Effect(
            check: "time.duration", statuses: [("10s", "pass"), ("9.999s", "fail")]),
        "limit-shortest-tag": Effect(
            check: "time.duration", statuses: [("10s", "pass"), ("10.001s", "fail")]),
        "limit-gap": Effect(
            check: "time.gap", statuses: [("20s", "pass"), ("19.999s", "warn")], fault: .timeGap),
        "limit-overlap": Effect(
            check: "time.overlap", statuses: [("10s", "pass"), ("9.999s", "fail")], fault: .timeOverlap),
        // The last tags are on frames of audio, some milliseconds from the full second.
        "limit-rate-drift": Effect(
            check: "time.rate", statuses: [("0.017s", "pass"), ("0.015s", "fail")]),
        "limit-rate-tags": Effect(check: "time.rate", statuses: [("7", "pass"), ("8", "not-run")]),
        "limit-rate-window": Effect(
            check: "time.rate", statuses: [("29.995s", "pass"), ("29.994s", "not-run")]),
        "limit-audio-sync": Effect(
            check: "time.audio-sync", statuses: [("0.3s", "pass"), ("0.02s", "fail")]),
        "limit-info-minimum-duration": Effect(
            check: "info.late", statuses: [("120s", "pass"), ("120.001s", "not-run")]),
        "limit-info-interval": Effect(
            check: "info.late", statuses: [("120.001s", "pass"), ("119.999s", "fail")],
            others: ["--limit-info-minimum-duration", "0s"]),
        "limit-null-run": Effect(
            check: "cid.null-run", statuses: [("5", "pass"), ("4", "warn")], fault: .nullRun),
        "limit-offset-fail": Effect(
            check: "cid.offset-advance", statuses: [("20s", "warn"), ("19.999s", "fail")],
            fault: .offsetAdvance),
        "limit-offset-warn": Effect(
            check: "cid.offset-advance", statuses: [("20s", "pass"), ("19.999s", "warn")],
            others: ["--limit-offset-fail", "2000s"], fault: .offsetAdvance),
    ]

    /// The limits, including those with a separate test.
    static let covered = Set(effects.keys).union([
        "limit-findings", "limit-info-delay", "limit-rendition-time", "limit-repeat-age",
        "limit-wall-clock",
        // For the monitor: `MonitorTests`, and `LiveCheckTests` of StreamHealth.
        "limit-silence", "limit-date-jump", "limit-variant-drift", "limit-slow-segment",
        // `PlaylistFollowerTests` of HLSPlaylist.
        "limit-stale", "limit-stale-durations",
        // When alerts are raised and cleared: `AlertLimitTests` of StreamMonitor, `EpisodeBookTests` of StreamHealth.
        "limit-alert-repeat", "limit-alert-clear", "limit-alert-clear-tags", "limit-alert-hold",
        "limit-alert-hold-maximum",
        // For the monitor itself: `MonitorChecksTests` of StreamHealth.
        "limit-delivery-stalled", "limit-delivery-refused", "limit-buffer-use", "limit-late-channels",
        "limit-late",
        // The shares of a channel: `OverLimitTests`, `FairShareTests` and `RateShareTests` of StreamMonitor.
        "limit-channel-segments", "limit-channel-transfers", "limit-channel-renditions",
        "limit-channel-memory", "limit-channel-buffer", "limit-channel-lines", "limit-channel-alerts",
    ])

    /// Returns the owner identifiers of a stream, one per line, without encoding the stream.
    private static func log(_ settings: SynthesisSettings) -> [String] {
        settings.tags(ofRendition: 0).map { $0.ownerIdentifier + "\n" }
    }

    private static func status(of check: String, _ arguments: [String]) async throws -> String? {
        CheckTests.statuses(try await CheckTests.json(arguments: arguments).verdict)[check]
    }

    @Test(arguments: effects.keys.sorted())
    func limit_atItsThreshold_changesTheVerdict(name: String) async throws {
        let effect = try #require(Self.effects[name])
        let folder = try TemporaryFolder()
        var input = ["--rendition", "lowest", Self.stream]
        if let fault = effect.fault {
            var settings = SynthesisSettings()
            settings.show(fault)
            input = ["--owners", try folder.write("log", Self.log(settings).joined().utf8)]
        }
        #expect(effect.statuses.count == 2 && effect.statuses[0].status != effect.statuses[1].status)
        for (value, status) in effect.statuses {
            let found = try await Self.status(of: effect.check, ["--\(name)", value] + effect.others + input)
            #expect(found == status, "\(name) \(value)")
        }
    }

    @Test func findings_isTheMaximumNumberForACheck() async throws {
        for count in [1, 3] {
            let result = try await CheckTests.json(
                "--limit-longest-tag", "0s", "--limit-findings", "\(count)", Self.stream)
            #expect(CheckTests.findings(.timeDuration, in: result.verdict).count == count)
        }
    }

    /// The second INFO tag of the log is two positions late.
    @Test func infoDelay_isTheMaximumDelayOfAnINFOTag() async throws {
        var settings = SynthesisSettings()
        settings.duration = 350
        var lines = Self.log(settings)
        let kinds = lines.map { NielsenTag(ownerIdentifier: Array($0.dropLast().utf8).span)?.kind }
        let info = try #require(kinds.lastIndex(of: .info))
        #expect(info > 20 && info + 2 < lines.count)
        lines.insert(lines.remove(at: info), at: info + 2)
        let folder = try TemporaryFolder()
        let log = try folder.write("log", lines.joined().utf8)
        for (value, status) in [("2", "pass"), ("1", "warn")] {
            let found = try await Self.status(
                of: "sequence.step", ["--limit-info-delay", value, "--owners", log])
            #expect(found == status, "\(value)")
        }
    }

    /// A segment is repeated 25.6 s after it ended: within the limit the content repeats, otherwise the time goes back.
    @Test func repeatAge_isTheMaximumAgeOfARepeatedTag() async throws {
        let folder = try TemporaryFolder()
        let uris = [0, 1, 2, 3, 4, 1].map { "\(Tool.demo)/v360/seg0000\($0).ts" }
        let playlist = try folder.write("index.m3u8", EndlessInputTests.playlist(uris).utf8)
        for (value, isRepeat) in [("25.6s", true), ("25.599s", false)] {
            let verdict = try await CheckTests.json("--limit-repeat-age", value, playlist).verdict
            let findings = CheckTests.findings(.timeOverlap, in: verdict).compactMap {
                $0["detail"] as? String
            }
            #expect(findings.count == 1)
            #expect(findings.first?.contains("the same tag came 25.6 s earlier") == isRepeat, "\(findings)")
        }
    }

    /// One tag of the last rendition is 47 audio frames late, slightly more than a second.
    @Test func renditionTime_isTheMaximumTimeDifferenceBetweenRenditions() async throws {
        let folder = try TemporaryFolder()
        let stream = folder.path + "/stream"
        let made = try await Tool.run(
            "synth", stream, "--fault", "rendition.time-differs", "--duration", "50s")
        #expect(made.status == 0, "\(made.errors)")
        for (value, status) in [("1.0027s", "pass"), ("1.0026s", "fail")] {
            let found = try await Self.status(
                of: "rendition.time-differs", ["--limit-rendition-time", value, stream + "/index.m3u8"])
            #expect(found == status, "\(value)")
        }
    }

    /// For a recording, the difference is only information, which changes no status.
    @Test func wallClock_isTheMaximumDifferenceOfTagsFromTheDate() async throws {
        for (value, count) in [("300s", 0), ("0s", 12)] {
            let verdict = try await CheckTests.json(
                "--limit-wall-clock", value, Tool.demo + "/v360/index.m3u8"
            ).verdict
            #expect(CheckTests.findings(.timeWallClock, in: verdict).count == count, "\(value)")
        }
    }
}
