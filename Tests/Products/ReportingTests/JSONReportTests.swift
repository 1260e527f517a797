import Foundation
import NielsenID3
import StreamHealth
import Testing

@testable import Reporting

@Suite struct JSONReportTests {
    private func text(_ verdicts: [HealthVerdict], asList: Bool = false) -> String {
        String(
            decoding: JSONReport.bytes(verdicts.map { HealthReport(verdict: $0) }, asList: asList),
            as: UTF8.self)
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func damagedStream_asJSON_matchesTheGoldenFile() throws {
        try Golden.expect(text([Verdicts.damaged]), equals: "damaged.json")
    }

    @Test func oneInput_hasTheKeysOfTheContract() throws {
        let object = try object(text([Verdicts.damaged]))
        #expect(object["source"] as? String == "media/demo/index.m3u8")
        #expect(object["verdict"] as? String == "fail")
        #expect(object["duration"] as? Double == 120)
        #expect(object["segments"] as? Int == 20)
        #expect(
            object["tags"] as? [String: Int] == ["data": 12, "info": 1, "unknown": 1, "other_owner": 3])
        let checks = try #require(object["checks"] as? [[String: Any]])
        #expect(checks.compactMap { $0["id"] as? String } == CheckID.all.map(\.rawValue))
        let checksum = try #require(checks.first { $0["id"] as? String == "tag.checksum" })
        #expect(checksum["status"] as? String == "fail")
        #expect(checksum["count"] as? Int == 1)
        #expect(checksum["limit"] as? Int == 0)
        let finding = try #require((checksum["findings"] as? [[String: Any]])?.first)
        #expect(finding["segment"] as? String == "seg00003.ts")
        #expect(finding["seconds"] as? Double == 18)
        #expect(finding["sequence"] as? Int == 52)
        #expect(finding["detail"] as? String == "stored 0x3b83, computed 0x3b84")
    }

    @Test func checkThatWasNotRun_hasAReason() throws {
        let checks = try #require(try object(text([Verdicts.damaged]))["checks"] as? [[String: Any]])
        for check in checks {
            #expect((check["reason"] is String) == (check["status"] as? String == "not-run"))
        }
    }

    @Test func limits_matchThePolicy() throws {
        let limits = try #require(try object(text([Verdicts.damaged]))["limits"] as? [String: Double])
        #expect(limits.count == HealthLimit.all.count)
        for limit in HealthLimit.all {
            #expect(limits[limit.name] == Verdicts.damaged.policy[limit])
        }
    }

    @Test func severalInputs_areAListWithTheWorstVerdict() throws {
        let object = try object(text([Verdicts.verdict(), Verdicts.damaged]))
        #expect(object["verdict"] as? String == "fail")
        let inputs = try #require(object["inputs"] as? [[String: Any]])
        #expect(inputs.compactMap { $0["verdict"] as? String } == ["pass", "fail"])
    }

    @Test func oneInputAsList_isAList() throws {
        #expect((try object(text([Verdicts.verdict()], asList: true))["inputs"] as? [Any])?.count == 1)
    }

    @Test func equalFindings_areOneEpisode_besideTheFindings() throws {
        var findings = (0..<40).map {
            Verdicts.finding(
                .warn, segment: "seg\($0).ts", seconds: Double($0), sequence: UInt16(100 + $0), tag: $0,
                "at byte \($0) tag \(100 + $0) is long")
        }
        findings.append(
            Verdicts.finding(.fail, segment: "b.ts", seconds: 50, sequence: 7, tag: 41, "it is wrong"))
        findings[40].consequences = [.init(check: .timeGap, detail: "11 s between the two tags")]
        let outcome = CheckOutcome(id: .tagFormat, status: .fail, count: 41, findings: findings)
        let object = try object(text([Verdicts.verdict(outcomes: [outcome])]))
        let checks = try #require(object["checks"] as? [[String: Any]])
        #expect(checks.allSatisfy { $0["episodes"] is [Any] })
        let check = try #require(checks.first { $0["id"] as? String == "tag.format" })
        #expect((check["findings"] as? [Any])?.count == 41)
        let episodes = try #require(check["episodes"] as? [[String: Any]])
        #expect(episodes.map { $0["count"] as? Int } == [40, 1])
        #expect(episodes.map { $0["status"] as? String } == ["warn", "fail"])
        #expect(episodes.map { $0["detail"] as? String } == ["at byte 0 tag 100 is long", "it is wrong"])
        let ends = try ["first", "last"].map { try #require(episodes[0][$0] as? [String: Any]) }
        #expect(ends.map { $0["segment"] as? String } == ["seg0.ts", "seg39.ts"])
        #expect(ends.map { $0["sequence"] as? Int } == [100, 139])
        #expect(ends.map { $0["seconds"] as? Double } == [0, 39] && ends[0]["at"] == nil)
        #expect((episodes[1]["consequences"] as? [[String: Any]])?.first?["id"] as? String == "time.gap")
        #expect(episodes[0]["check"] == nil && episodes[0]["consequences"] == nil)
    }

    @Test func hostileNames_roundTripUnchanged() throws {
        let object = try object(text([Verdicts.hostile]))
        #expect(object["source"] as? String == Verdicts.hostile.source)
    }
}
