import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import Reporting

/// SARIF and the workflow commands of GitHub Actions.
@Suite struct AnnotationReportTests {
    private static func sarif(_ reports: [HealthReport]) throws -> [String: Any] {
        let bytes = SARIFReport.bytes(reports, producer: "dtvr 1.0")
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private static func run(_ reports: [HealthReport]) throws -> [String: Any] {
        try #require((try sarif(reports)["runs"] as? [[String: Any]])?.first)
    }

    /// The properties that the OASIS schema requires, and the indices of the rules.
    @Test func sarif_hasTheRequiredProperties_andAResultForEachGroup() throws {
        let report = HealthReport(verdict: Verdicts.damaged)
        #expect(try Self.sarif([report])["version"] as? String == "2.1.0")
        let run = try Self.run([report])
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "dtvr" && driver["version"] as? String == "1.0")
        let rules = try #require(driver["rules"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        #expect(rules == CheckID.all.map(\.rawValue) + ["input"])
        let results = try #require(run["results"] as? [[String: Any]])
        let groups = Verdicts.damaged.outcomes.flatMap(\.groups).filter { $0.example.status > .pass }
        #expect(results.count == groups.count && !results.isEmpty)
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index] == result["ruleId"] as? String)
            #expect(["error", "warning"].contains(result["level"] as? String))
            #expect((result["message"] as? [String: Any])?["text"] as? String != nil)
            #expect(result["occurrenceCount"] as? Int ?? 0 > 0)
            #expect((result["locations"] as? [Any])?.count == 1)
        }
        let invocation = (run["invocations"] as? [[String: Any]])?.first
        #expect(invocation?["executionSuccessful"] as? Bool == true)
    }

    @Test func unreadableInput_isAResultOfTheRuleInput() throws {
        let report = HealthReport(unreadable: "a b.m3u8", policy: HealthPolicy(), reason: "no such file")
        let run = try Self.run([report])
        let result = try #require((run["results"] as? [[String: Any]])?.first)
        #expect(result["ruleId"] as? String == "input" && result["level"] as? String == "error")
        #expect((run["invocations"] as? [[String: Any]])?.first?["executionSuccessful"] as? Bool == false)
        #expect(
            AnnotationReport.text([report]).hasPrefix("::error file=a b.m3u8,title=input::no such file\n"))
    }

    @Test(arguments: [
        ("a/b c.m3u8", "a/b%20c.m3u8"), ("/x:1.ts", "file:///x%3A1.ts"), ("a%.ts", "a%25.ts"),
        ("https://host/a?q=…", "https://host/a?q=%E2%80%A6"),
    ])
    func source_asAURI_isEncoded(source: String, uri: String) { #expect(SARIFReport.uri(of: source) == uri) }

    /// A line end in a name must not begin another command.
    @Test func commands_areEscaped_andFailedChecksComeFirst() throws {
        var verdict = Verdicts.damaged
        verdict.source = "a:b,c\n::error::x"
        let lines = AnnotationReport.text([HealthReport(verdict: verdict)]).split(separator: "\n")
        #expect(lines.dropLast().allSatisfy { $0.contains("file=a%3Ab%2Cc%0A%3A%3Aerror%3A%3Ax,title=") })
        #expect(lines.last?.hasPrefix("FAIL  ") == true)
        let names = lines.dropLast().map { $0.prefix { $0 != " " } }
        #expect(names == names.sorted() && names.first == "::error")
    }

    @Test func verdict_withoutDataTags_orWithUnreadParts_hasAShortfall() {
        var report = HealthReport(verdict: Verdicts.verdict())
        report.verdict.tags.data = 5
        report.verdict.failedSegmentCount = 0
        #expect(report.shortfall == nil && report.requireCompleteness() == nil)
        report.verdict.failedSegmentCount = 1
        report.verdict.segmentCount = 3
        report.unread = ["1 rendition of a"]
        #expect(
            report.shortfall == "1 of 3 segments could not be read; 1 rendition of a could not be read")
        report.verdict.tags.data = 0
        #expect(report.requireCompleteness()?.hasSuffix("; no DATA tag was judged") == true)
        #expect(report.error == report.shortfall)
    }
}
