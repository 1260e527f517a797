import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import Reporting

@Suite(.timeLimit(.minutes(30))) struct JUnitReportTests {
    private func text(_ verdicts: [HealthVerdict]) -> String {
        JUnitReport.text(verdicts.map { HealthReport(verdict: $0) })
    }

    /// Returns the elements that Python's parser, Expat, reads.
    ///
    /// The script prints one line for each element, with its name, attributes and text as JSON.
    private func elements(_ text: String) async throws -> [Element] {
        let script = """
            import json, sys, xml.etree.ElementTree as tree
            for element in tree.fromstring(sys.stdin.buffer.read()).iter():
                print(json.dumps({"name": element.tag, "attributes": element.attrib, "text": element.text or ""}))
            """
        let finished = try await FinishedProcess.of(
            "/usr/bin/env", ["python3", "-c", script], input: Data(text.utf8))
        try #require(finished.status == 0, "\(String(decoding: finished.errors, as: UTF8.self))")
        return try finished.output.split(separator: 0x0A).map {
            try JSONDecoder().decode(Element.self, from: Data($0))
        }
    }

    private struct Element: Decodable {
        let name: String
        let attributes: [String: String]
        let text: String
    }

    @Test func damagedStream_asJUnit_matchesTheGoldenFile() throws {
        try Golden.expect(text([Verdicts.verdict(), Verdicts.damaged]), equals: "damaged.junit.xml")
    }

    @Test func severalInputs_haveOneSuiteEach_withOneCasePerCheck() async throws {
        let elements = try await elements(text([Verdicts.verdict(source: "a"), Verdicts.damaged]))
        #expect(
            elements.filter { $0.name == "testsuite" }.compactMap { $0.attributes["name"] } == [
                "a", Verdicts.damaged.source,
            ])
        let cases = elements.filter { $0.name == "testcase" }.compactMap { $0.attributes["name"] }
        #expect(cases == CheckID.all.map(\.rawValue) + CheckID.all.map(\.rawValue))
    }

    @Test func counts_matchTheElements() async throws {
        let elements = try await elements(text([Verdicts.damaged]))
        for name in ["testsuites", "testsuite"] {
            let attributes = try #require(elements.first { $0.name == name }).attributes
            #expect(attributes["tests"] == "\(elements.count { $0.name == "testcase" })")
            #expect(attributes["failures"] == "\(elements.count { $0.name == "failure" })")
            #expect(attributes["skipped"] == "\(elements.count { $0.name == "skipped" })")
        }
        #expect(elements.count { $0.name == "failure" } == 2)
        #expect(elements.count { $0.name == "skipped" } == 2)
    }

    /// The case `input` is counted in addition to those of the checks that were not run.
    @Test func unreadableInput_addsACaseAndAnError() async throws {
        let unreadable = HealthReport(unreadable: "none.m3u8", policy: HealthPolicy())
        let elements = try await elements(
            JUnitReport.text([HealthReport(verdict: Verdicts.damaged), unreadable]))
        let all = try #require(elements.first).attributes
        let checkCount = CheckID.all.count
        #expect(all["tests"] == "\(2 * checkCount + 1)" && all["errors"] == "1")
        #expect(all["tests"] == "\(elements.count { $0.name == "testcase" })")
        let suite = try #require(elements.last { $0.name == "testsuite" }).attributes
        #expect(suite["tests"] == "\(checkCount + 1)" && suite["skipped"] == "\(checkCount)")
        #expect(suite["errors"] == "1" && suite["failures"] == "0")
        #expect(elements.count { $0.name == "error" } == 1)
    }

    /// Pages of continuous integration display the class, the name and the message of a failure, but not its suite.
    @Test func failure_hasTheInputAsClassName_andTheFindingAsMessage() async throws {
        let elements = try await elements(text([Verdicts.damaged]))
        let index = try #require(elements.firstIndex { $0.name == "failure" })
        #expect(elements[index - 1].attributes["classname"] == "dtvr.media/demo/index_m3u8")
        #expect(elements[index].attributes["message"] == "stored 0x3b83, computed 0x3b84 (1 finding)")
    }

    @Test func warning_passesWithOutput() async throws {
        let elements = try await elements(text([Verdicts.damaged]))
        let index = try #require(elements.firstIndex { $0.attributes["name"] == "time.gap" })
        #expect(elements[index + 1].name == "system-out")
        #expect(elements[index + 1].text.hasPrefix("warn: 14 s from the last time of tag 57 to "))
        #expect(
            elements[index + 1].text.contains("as in an advertisement without one (61 findings, limit 12 s)"))
    }

    @Test func hostileText_hasForbiddenXMLCharactersReplaced() async throws {
        let elements = try await elements(text([Verdicts.hostile]))
        let expected = Verdicts.hostile.source
            .replacing("\u{1B}", with: "\u{FFFD}").replacing("\u{0}", with: "\u{FFFD}")
            .replacing("\u{FFFE}", with: "\u{FFFD}")
        #expect(elements.first { $0.name == "testsuite" }?.attributes["name"] == expected)
        #expect(elements.first { $0.name == "skipped" }?.attributes["message"] == expected)
        #expect(elements.first { $0.name == "failure" }?.text.contains(expected) == true)
    }

    @Test func unicodeScalars_ofAllPlanes_yieldWellFormedXML() async throws {
        let scalars = (0...0x10_FFFF as ClosedRange<UInt32>).lazy.filter {
            $0 < 0x3000 || $0 % 0xFFFF < 3 || $0 > 0xFFF0 && $0 < 0x10010
        }
        .compactMap(Unicode.Scalar.init)
        var all = String.UnicodeScalarView()
        for scalar in scalars { all.append(scalar) }
        let elements = try await elements(text([Verdicts.verdict(source: String(all))]))
        let name = try #require(elements.first { $0.name == "testsuite" }?.attributes["name"])
        #expect(name.unicodeScalars.count == all.count)
    }
}
