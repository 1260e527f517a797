import Foundation
import NielsenID3
import Reporting
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

    /// A contradiction of a guide, with the rule that finds it and the logs that contain it.
    ///
    /// A log that follows one of the two statements must not fail.
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
                    // These logs do not pass the flag, or have no `init`.
                    !["002-", "003-dtvr", "003-joint", "000-italy-browser-pause"].contains(
                        where: name.hasPrefix)
                })),
        Contradiction(
            rule: "start.app-id", reason: "the appid of the samples is a placeholder",
            logs: Set(
                names.filter { name in
                    !name.hasPrefix("000-italy-browser-")
                        && (!name.hasPrefix("002-") || name.contains("radio"))
                })),
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
        let report = RuleTests.report(on: Self.withChoice([UInt8](log), of: name))
        let violated = report.outcomes.filter { $0.status > .pass }
        let expected = Self.contradictions.filter { $0.logs.contains(name) }
        #expect(
            violated.map(\.id.rawValue).sorted() == expected.map(\.rule).sorted(),
            "\(violated.flatMap(\.findings).map { "\($0.place.call?.line ?? 0) \($0.detail)" })")
        #expect(report.status < .fail)
    }

    /// Adds the choice of the user after `init`, which the guides of Ireland make mandatory, and their sequences omit.
    private static func withChoice(_ log: [UInt8], of name: String) -> [UInt8] {
        guard name.hasPrefix("004-") || name.hasPrefix("000-ireland-") else { return log }
        var lines = log.split(separator: 0x0A)
        guard let start = lines.firstIndex(where: { $0.first == UInt8(ascii: "{") }) else { return log }
        lines.insert(
            Array(#"{"call":"userOptOut","arguments":["nielsenappsdk://1"]}"#.utf8)[...], at: start + 1)
        return Array(lines.joined(separator: [0x0A]))
    }
}
