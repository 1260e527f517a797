import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import Reporting

@Suite(.timeLimit(.minutes(30))) struct PageReportTests {
    private static func page(_ reports: [HealthReport]) -> String {
        String(decoding: PageReport.bytes(reports, producer: "dtvr", made: nil), as: UTF8.self)
    }

    /// The contents of a page that Python's HTML parser finds.
    private struct Parsed: Decodable {
        /// The names of the start tags, in order.
        let tags: [String]
        /// The names and values of all attributes.
        let attributes: [[String?]]
        /// The content of each script element, with its type.
        let scripts: [[String]]
        /// Elements that were opened and never closed, or closed and never opened.
        let unbalanced: [String]
        /// The SHA-256 digest in base64 of each script without a type, and of each style.
        let digests: [String]
        let title: String
    }

    private static let parser = """
        import base64, hashlib, json, sys
        from html.parser import HTMLParser
        void = {"meta", "input", "br"}
        class Reader(HTMLParser):
            def __init__(self):
                super().__init__(convert_charrefs=True)
                self.tags, self.attributes, self.scripts, self.digests = [], [], [], []
                self.stack, self.unbalanced, self.text, self.title, self.type = [], [], "", "", ""
            def handle_starttag(self, tag, attributes):
                self.tags.append(tag)
                self.attributes += [list(a) for a in attributes]
                if tag not in void: self.stack.append(tag)
                self.text, self.type = "", dict(attributes).get("type", "")
            def handle_data(self, data): self.text += data
            def handle_endtag(self, tag):
                if self.stack and self.stack[-1] == tag: self.stack.pop()
                else: self.unbalanced.append(tag)
                if tag == "script": self.scripts.append([self.type, self.text])
                if tag == "style" or tag == "script" and not self.type:
                    digest = hashlib.sha256(self.text.encode()).digest()
                    self.digests.append(base64.b64encode(digest).decode())
                if tag == "title" and "svg" not in self.stack: self.title = self.text
        reader = Reader()
        reader.feed(sys.stdin.buffer.read().decode())
        reader.close()
        keys = ["tags", "attributes", "scripts", "digests", "title"]
        found = {key: getattr(reader, key) for key in keys}
        found["unbalanced"] = reader.unbalanced + reader.stack
        print(json.dumps(found))
        """

    private func parse(_ page: String) async throws -> Parsed {
        let finished = try await FinishedProcess.of(
            "/usr/bin/env", ["python3", "-c", Self.parser], input: Data(page.utf8))
        try #require(finished.status == 0, "\(String(decoding: finished.errors, as: UTF8.self))")
        return try JSONDecoder().decode(Parsed.self, from: finished.output)
    }

    @Test func smallStream_asPage_matchesTheGoldenFile() throws {
        var verdict = Verdicts.damaged
        verdict.renditions = []
        var track = PageSamples.track(tags: 12, isDamaged: true) { "seg\($0).ts" }
        for outcome in verdict.outcomes {
            for finding in outcome.findings {
                track.mark(outcome.id, finding.status, tagIndex: try #require(finding.place.tagIndex))
            }
        }
        var page = Self.page([HealthReport(verdict: verdict, tracks: [track])])
        for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
            let from = try #require(page.range(of: start)).upperBound
            let to = try #require(page.range(of: end, range: from..<page.endIndex)).lowerBound
            page.replaceSubrange(from..<to, with: "…")
        }
        // The digests change with the omitted code, and line breaks show the other changes.
        page.replace(/&#39;sha256-[^&]*&#39;/, with: "&#39;sha256-…&#39;")
        try Golden.expect(page.replacing("><", with: ">\n<"), equals: "page.html")
    }

    @Test func equalFindings_areOneEntry_withLinksToTheFirstAndTheLastTag() async throws {
        let findings = (0..<40).map {
            Verdicts.finding(
                .fail, segment: "<\($0)>.ts", seconds: Double($0), sequence: UInt16(100 + $0), tag: $0,
                "at byte \($0) tag \(100 + $0) is <b>long</b>: \(Samples.data2015)")
        }
        let outcome = CheckOutcome(id: .tagFormat, status: .fail, count: 45, findings: findings)
        let page = Self.page([HealthReport(verdict: Verdicts.verdict(outcomes: [outcome]))])
        let list = try #require(page.components(separatedBy: "<ol class=\"findings\">").dropFirst().first)
        let entry = try #require(list.components(separatedBy: "</ol>").first)
        #expect(entry.components(separatedBy: "<li").count == 2)
        #expect(entry.contains("40 times, first <bdi>&lt;0&gt;.ts</bdi>"), "\(entry)")
        #expect(entry.contains("; last <bdi>&lt;39&gt;.ts</bdi>"), "\(entry)")
        #expect(entry.contains("tag=0\"") && entry.contains("tag=39\"") && !entry.contains("tag=1\""))
        #expect(entry.contains("at byte 0 tag 100 is &lt;b&gt;long&lt;/b&gt;: …</span>"), "\(entry)")
        #expect(list.contains("… and 5 more") && !page.contains(Samples.data2015.prefix(60)))
        #expect(try await parse(page).unbalanced.isEmpty)
    }

    @Test(arguments: ["damaged", "renditions", "hostile", "none"])
    func page_isBalanced_andLoadsNoExternalResources(sample: String) async throws {
        let parsed = try await parse(Self.page(try PageSamples.named(sample)))
        #expect(parsed.unbalanced.isEmpty)
        #expect(
            Set(parsed.tags).isDisjoint(with: ["link", "img", "iframe", "object", "embed", "base", "image"]))
        for attribute in parsed.attributes {
            let name = try #require(attribute.first ?? nil)
            #expect(!name.hasPrefix("on") && name != "src" && name != "style" && name != "action")
            if name == "href" { #expect(attribute[1]?.hasPrefix("#") == true) }
        }
    }

    @Test func contentSecurityPolicy_allowsOnlyItsOwnScriptAndStyle() async throws {
        let parsed = try await parse(Self.page([PageSamples.hostile()]))
        let policy = try #require(
            parsed.attributes.compactMap { $0.last ?? nil }.first { $0.hasPrefix("default-src") })
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
        #expect(parsed.digests.count == 2)
        for digest in parsed.digests { #expect(policy.contains("'sha256-\(digest)'")) }
    }

    @Test func hostileNames_stayText() async throws {
        let page = Self.page([PageSamples.hostile()])
        let parsed = try await parse(page)
        // The page has its own code and the data of its one track; no name adds a script.
        #expect(parsed.scripts.map { $0[0] } == ["application/json", ""])
        #expect(!page.contains("<script>alert") && !page.contains("<!--"))
        #expect(parsed.title.contains("</script><script>alert(1)</script>"))
        #expect(!page.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{1B}" || $0 == "\u{0}" })
    }

    @Test func scriptData_containsEveryTag() async throws {
        let report = PageSamples.damaged()
        let track = report.tracks[0]
        let parsed = try await parse(Self.page([report]))
        let json = try #require(parsed.scripts.first { $0[0] == "application/json" })[1]
        let data = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        func column(_ key: String) throws -> [Int?] {
            var last = 0
            return try #require(data[key] as? [Any]).map { step in
                guard let step = step as? Int else { return nil }
                last += step
                return last
            }
        }
        #expect(try column("sequence") == track.tags.map { $0.sequence.map(Int.init) })
        #expect(try column("first") == track.tags.map { $0.firstTime.map(Int.init) })
        #expect(try column("last") == track.tags.map { $0.lastTime.map(Int.init) })
        #expect(try column("pts") == track.tags.map { $0.pts.map(Int.init) })
        #expect(try column("position") == track.tags.map { Int(($0.position * 1_000).rounded()) })
        #expect(try column("pc") == track.tags.map { $0.pcCID.map(Int.init) })
        let sets = try #require(data["problemSets"] as? [[String]])
        let problems = try #require(data["problems"] as? [Int])
        #expect(problems.map { sets[$0] } == track.tags.map { $0.problems.checks.map(\.rawValue) })
        #expect(data["cids"] as? [String] == track.contentIDs.map(\.text))
    }

    @Test func tagTable_withoutScript_hasTheFirstPage() throws {
        let page = Self.page([PageSamples.damaged()])
        let body = try #require(page.range(of: "<tbody>", options: .backwards))
        #expect(page[body.upperBound...].components(separatedBy: "<tr").count - 1 == HTMLTagTable.pageLength)
    }

    @Test func everyCheck_isListedOnThePage() {
        let page = Self.page([HealthReport(verdict: Verdicts.verdict())])
        for check in CheckID.all { #expect(page.contains("<code>\(check.rawValue)</code>")) }
    }

    @Test(arguments: [1_000, 8_000])
    func manyTags_areThinnedOnlyInThePlots(count: Int) throws {
        let report = PageSamples.long(tags: count)
        let html = Self.page([report])
        // Six lanes and three plots have at most one mark per column each, and the table has only its first page.
        #expect(html.components(separatedBy: "<rect").count < 9 * PlotColumns.count)
        #expect(html.utf8.count < 1_500_000 + 80 * count)
    }

    @Test func problem_amongManyTags_survivesThinning() {
        let sound = PageSamples.track(tags: 4_000) { "s\($0)" }
        let time = PlotAxis.time(to: 40_000)
        for fault in [0, 1, 1_999, sound.tagCount - 2, sound.tagCount - 1] {
            var track = sound
            track.mark(.timeGap, .fail, tagIndex: fault)
            let points = track.tags.enumerated().map {
                TrackAnalysis.Point(tag: $0.offset, position: $0.element.position, value: 1)
            }
            let columns = PlotColumns(points, of: track.tags, on: time).columns
            #expect(columns.count <= PlotColumns.count)
            #expect(columns.reduce(0) { $0 + $1.count } == track.tags.count)
            #expect(columns.count { $0.severity == .fail } == 1)
        }
    }

    /// The legend below a plot explains its lines, so that no mark covers the explanation.
    @Test func plotLabels_areInTheLegend() throws {
        let page = String(
            decoding: PageReport.bytes(try PageSamples.named("damaged"), producer: "dtvr", made: nil),
            as: UTF8.self)
        let plots = page.components(separatedBy: "class=\"area\"").dropFirst()
            .map { $0.components(separatedBy: "</svg>")[0] }
        #expect(plots.count == 4)
        for plot in plots {
            #expect(!plot.contains("median ") && !plot.contains("limit ±"))
        }
        let legends = page.components(separatedBy: "<p class=\"legend\">").dropFirst()
            .map { $0.components(separatedBy: "</p>")[0] }
        #expect(legends.contains { $0.contains("class=\"reference\"") && $0.contains("median ") })
        #expect(legends.contains { $0.contains("class=\"limit\"") && $0.contains("limit ±2 s") })
    }
}
