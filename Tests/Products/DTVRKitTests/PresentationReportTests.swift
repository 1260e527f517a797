import DTVRKit
import Foundation
import TestSupport
import Testing

/// Reports in every format, made with the library alone.
@Suite(.timeLimit(.minutes(30))) struct PresentationReportTests {
    private static func report(_ format: ReportFormat, policy: HealthPolicy = HealthPolicy()) async throws
        -> (verdict: HealthVerdict, document: String)
    {
        let fetcher = try ResourceFetcher(
            client: HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0")))
        let presentation = try await InputResolver(fetcher: fetcher, choice: .all).resolve(
            Project.demo + "/index.m3u8")
        return await presentation.report(as: format, through: fetcher, policy: policy)
    }

    @Test(arguments: ReportFormat.allCases)
    func report_inEachFormat_showsTheVerdictOrEveryTag(format: ReportFormat) async throws {
        let (verdict, document) = try await Self.report(format)
        #expect(verdict.status == .pass && verdict.tags.data == 12)
        let lineCount = document.split(separator: "\n").count
        switch format {
        case .text:
            #expect(document.hasPrefix("PASS"))
            #expect(document.contains("in 57 segments, 3 renditions"))
        case .json, .jsonl:
            #expect(lineCount == 1 && document.hasSuffix("\n"))
            let object = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
            #expect(object?["verdict"] as? String == "pass")
            #expect((object?["checks"] as? [Any])?.count == verdict.outcomes.count)
        case .csv:
            // A header, and the 13 tags of each of three renditions.
            #expect(lineCount == 40)
        case .html:
            #expect(document.hasPrefix("<!DOCTYPE html>"))
            #expect(document.contains("DTVRKit 0.2.0"))
        case .junit:
            #expect(document.contains("<testsuite"))
            #expect(document.contains("time.rate"))
        case .sarif:
            #expect(document.contains("\"version\":\"2.1.0\"") && document.contains("time.rate"))
        case .github:
            // The text, without annotations: there are no findings.
            #expect(document.hasPrefix("PASS") && !document.contains("::"))
        }
    }

    @Test func report_withALimitThatTagsExceed_showsViolationsInVerdictAndRows() async throws {
        var policy = HealthPolicy()
        policy[.longestTag] = 5
        let (verdict, rows) = try await Self.report(.csv, policy: policy)
        #expect(verdict.status == .fail)
        #expect(rows.split(separator: "\n").count { $0.contains("time.duration") } == 12 * 3)
    }
}
