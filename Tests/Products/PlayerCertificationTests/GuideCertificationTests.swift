import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import PlayerCertification

/// The certification of each sample and sequence of calls in the guides.
///
/// Only the contradictions of a guide are findings.
@Suite struct GuideCertificationTests {
    private static let folder = Project.root + "/Tests/Products/PlayerSessionTests/Guides"
    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }.sorted()

    /// A contradiction of a guide, with the rule that it violates and the logs that contain it.
    private struct Contradiction {
        let rule: String
        let reason: String
        let logs: Set<String>
    }

    private static let contradictions = [
        Contradiction(
            rule: "start.debug",
            reason: "the debug flag is for tests alone; the samples pass it with an appid for production",
            logs: Set(
                names.filter { name in
                    // These logs do not pass the flag.
                    !["000-italy-browser-", "002-", "003-dtvr", "003-joint"].contains(where: name.hasPrefix)
                })),
        Contradiction(
            rule: "start.app-id", reason: "the appid of the samples is a placeholder, or has no T or P",
            logs: Set(
                names.filter { name in
                    ["000-ireland-android-", "001-", "002-", "004-"].contains(where: name.hasPrefix)
                })),
        Contradiction(
            rule: "order.play", reason: "`play` names the channel; the sequences call it without information",
            logs: [
                "000-ireland-android-no-ads", "000-italy-audio-android-ads", "000-italy-audio-ios",
                "000-italy-audio-no-ads", "000-italy-video-ads", "000-italy-video-no-ads", "001-ad-object",
                "001-ads", "001-app-start", "001-live", "001-no-ads",
            ]),
        Contradiction(
            rule: "order.stop",
            reason: "`stop` comes at any interruption of content; the sequences load a midroll without it",
            logs: [
                "000-ireland-android-ads", "000-italy-audio-android-ads", "000-italy-audio-ios",
                "000-italy-browser-ads", "000-italy-browser-close", "000-italy-video-ads", "001-ads",
                "004-ads",
            ]),
        Contradiction(
            rule: "metadata.static", reason: "the guide passes static metadata, and prints none",
            logs: ["000-poland-no-ads"]),
        Contradiction(
            rule: "order.calls", reason: "`loadMetadata` comes before `play`, and after it",
            logs: ["002-loadmetadata"]),
        Contradiction(
            rule: "tag.once", reason: "the newest tag comes with every event", logs: ["003-joint"]),
    ]

    @Test(arguments: names)
    func sample_violatesOnlyRulesThatItsGuideContradicts(name: String) throws {
        let log = try Data(contentsOf: URL(filePath: "\(Self.folder)/\(name).jsonl"))
        let report = RuleTests.report(on: [UInt8](log))
        let violated = report.outcomes.filter { $0.status > .pass }
        let expected = Self.contradictions.filter { $0.logs.contains(name) }
        #expect(
            violated.map(\.id.rawValue).sorted() == expected.map(\.rule).sorted(),
            "\(violated.flatMap(\.findings).map { "\($0.place.call?.line ?? 0) \($0.detail)" })")
    }
}
