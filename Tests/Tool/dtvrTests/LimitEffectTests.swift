import Foundation
import StreamHealth
import Testing

@testable import StreamSynthesis
@testable import dtvr

/// Every limit of a check changes what the check says, by the tool as it is built.
@Suite(.timeLimit(.minutes(30))) struct LimitEffectTests {
    private static let stream = Tool.demo + "/index.m3u8"

    /// How a limit shows: the check, the options besides, the values with the statuses that they give, and the fault
    /// that the tags in a log have; nil for the demonstration stream.
    struct Effect {
        let check: String
        var others: [String] = []
        var fault: String?
        let statuses: [String: String]
    }

    static let effects: [String: Effect] = [
        "limit-owner-minimum-duration": Effect(
            check: "carriage.owner-present", statuses: ["30s": "pass", "1000s": "not-run"]),
        "limit-count-minimum-duration": Effect(
            check: "tag.count", statuses: ["60s": "pass", "1000s": "not-run"]),
        "limit-count-grace": Effect(
            check: "tag.count", others: ["--limit-count-interval", "9s"],
            statuses: ["20s": "pass", "0s": "warn"]),
        "limit-count-interval": Effect(check: "tag.count", statuses: ["12s": "pass", "1s": "warn"]),
        "limit-longest-tag": Effect(check: "time.duration", statuses: ["12s": "pass", "0s": "fail"]),
        "limit-shortest-tag": Effect(check: "time.duration", statuses: ["4s": "pass", "11s": "fail"]),
        "limit-rate-drift": Effect(check: "time.rate", statuses: ["2s": "pass", "0s": "fail"]),
        "limit-rate-tags": Effect(check: "time.rate", statuses: ["4": "pass", "11": "not-run"]),
        "limit-rate-window": Effect(check: "time.rate", statuses: ["60s": "pass", "0s": "not-run"]),
        "limit-audio-sync": Effect(check: "time.audio-sync", statuses: ["15s": "pass", "0s": "fail"]),
        "limit-info-minimum-duration": Effect(
            check: "info.late", statuses: ["360s": "not-run", "0s": "pass"]),
        "limit-info-interval": Effect(
            check: "info.late", others: ["--limit-info-minimum-duration", "0s"],
            statuses: ["310s": "pass", "60s": "fail"]),
        "limit-gap": Effect(check: "time.gap", fault: "time.gap", statuses: ["9s": "warn", "1000s": "pass"]),
        "limit-overlap": Effect(
            check: "time.overlap", fault: "time.overlap", statuses: ["9s": "fail", "1000s": "pass"]),
        "limit-null-run": Effect(
            check: "cid.null-run", fault: "cid.null-run", statuses: ["3": "warn", "1000": "pass"]),
        "limit-offset-fail": Effect(
            check: "cid.offset-advance", fault: "cid.offset-advance",
            statuses: ["15s": "fail", "1000s": "warn"]),
        "limit-offset-warn": Effect(
            check: "cid.offset-advance", others: ["--limit-offset-fail", "2000s"],
            fault: "cid.offset-advance",
            statuses: ["10s": "warn", "1000s": "pass"]),
    ]

    /// The owner identifiers of the stream with a fault, a line each; nothing is encoded for them.
    private static func log(_ fault: String) throws -> String {
        var settings = SynthesisSettings()
        settings.show(try SynthesisFault.named(fault))
        return TagSchedule(settings, renditionIndex: 0).entries.compactMap(\.ownerIdentifier)
            .map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
    }

    @Test(arguments: HealthLimit.all.map(\.name).filter { effects[$0] != nil })
    func limit_changesTheVerdict(name: String) async throws {
        let effect = try #require(Self.effects[name])
        let folder = try TemporaryFolder()
        let input =
            try effect.fault.map { ["--owners", try folder.file("log", Self.log($0).utf8)] }
            ?? ["--rendition", "lowest", Self.stream]
        for (value, status) in effect.statuses {
            let result = try await Tool.run(
                arguments: ["check", "--format", "json", "--\(name)", value] + effect.others + input)
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
            let verdict = try #require(object as? [String: Any])
            #expect(CheckTests.statuses(verdict)[effect.check] == status, "\(name) \(value)")
        }
    }

    @Test func findingsLimit_isHowManyAReportKeeps() async throws {
        for count in [1, 3] {
            let result = try await CheckTests.json(
                "--limit-longest-tag", "0s", "--limit-findings", "\(count)", Self.stream)
            #expect(CheckTests.findings(.timeDuration, in: result.verdict).count == count)
        }
    }
}
