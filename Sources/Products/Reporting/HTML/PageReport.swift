import StreamHealth
import TagRecord
import TextForms

/// Formats verdicts as one self-contained HTML page that needs no network and no other file.
///
/// The verdict comes first, then plots over media time, the checks with their findings, and a searchable table of all
/// tags. Without scripts, only the search and the paging of the table are unavailable. Text from the stream cannot
/// become markup: it is escaped, and the security policy allows only one script and one style sheet, by their digests.
package enum PageReport {
    /// The maximum number of renditions of an input with separate plots; all renditions are compared and listed.
    static let maximumPlottedTrackCount = 12

    /// Returns the page, with a final line end.
    ///
    /// - Parameters:
    ///   - producer: the producing program, such as `dtvr 1.0`.
    ///   - made: the creation time in Unix milliseconds; nil to omit it.
    package static func bytes(_ reports: [HealthReport], producer: String, made: Int64?) -> [UInt8] {
        let tagCount = reports.reduce(0) { $0 + $1.tracks.reduce(0) { $0 + $1.tags.count } }
        return frame(of: reports).bytes(capacity: 1 << 18 + 96 * tagCount) { html in
            writeSkips(reports, to: &html)
            PlotSymbols.write(to: &html)
            html.element("main", ["id": "main"]) { html in
                if reports.count > 1 { writeContents(reports, to: &html) }
                for (index, report) in reports.enumerated() { write(report, index, to: &html) }
            }
            html.element("footer") { html in
                let date = made.map { " at \(RFC3339.text(unixMilliseconds: $0))" } ?? ""
                html.element("p", "Made by \(producer)\(date). Times are UTC.")
            }
            for (input, report) in reports.enumerated() {
                for (index, track) in report.tracks.enumerated() {
                    html.data(id: "data-\(input)-\(index)", json: TagColumns.json(of: track))
                }
            }
        }
    }

    private static func frame(of reports: [HealthReport]) -> PageFrame {
        let source = reports.count == 1 ? reports[0].verdict.source : "\(reports.count) inputs"
        return PageFrame(
            title: "\(reports.status.word.uppercased()) – "
                + "\(TerminalText.shortened(PrintableText.of(source), 80)) – stream health",
            style: PageStyle.base + PageStyle.plots + PackageResources.report_css,
            script: PlotScript.code + PackageResources.report_js)
    }

    private static func writeSkips(_ reports: [HealthReport], to html: inout HTMLWriter) {
        html.element("nav", ["class": "skips", "aria-label": "Skip"]) { html in
            html.element("a", ["href": "#main"], "To the verdict")
            if !reports.isEmpty {
                html.element("a", ["href": "#checks-0"], "To the checks")
                html.element("a", ["href": "#tags-0"], "To the tags")
            }
        }
    }

    private static func writeContents(_ reports: [HealthReport], to html: inout HTMLWriter) {
        html.element("nav", ["class": "contents", "aria-label": "Inputs"]) { html in
            html.element("p", ["class": "word \(reports.status.rawValue)"]) { html in
                html.element("span", ["class": "sign", "aria-hidden": "true"], reports.status.sign)
                html.text("\(reports.status.word): \(reports.count) inputs")
            }
            html.element("ol") { html in
                for (index, report) in reports.enumerated() {
                    let status = report.verdict.status
                    html.element("li", ["class": status.rawValue]) { html in
                        html.element("span", ["class": "sign", "aria-hidden": "true"], status.sign)
                        html.element("span", ["class": "status"], status.word)
                        html.element("a", ["href": "#input-\(index)"]) { html in
                            let source = PrintableText.of(report.verdict.source)
                            html.element("bdi", TerminalText.shortened(source, 200))
                        }
                    }
                }
            }
        }
    }

    private static func write(_ report: HealthReport, _ input: Int, to html: inout HTMLWriter) {
        let verdict = report.verdict
        let tracks = report.tracks
        html.element("article", ["id": "input-\(input)"]) { html in
            VerdictHeading(verdict: verdict, input: input).write(to: &html)
            let analyses = tracks.map { TrackAnalysis($0) }
            let time = PlotAxis.time(to: end(of: report))
            if tracks.contains(where: { !$0.tags.isEmpty || !$0.segments.isEmpty }) {
                if tracks.count > 1 {
                    RenditionsSideBySide(tracks: tracks, analyses: analyses, input: input, time: time)
                        .write(to: &html)
                }
                html.element("section", ["class": "plots"]) { html in
                    html.element("h2", "Over time")
                    for (index, track) in tracks.enumerated().prefix(maximumPlottedTrackCount) {
                        let figures = TrackFigures(
                            track: track, analysis: analyses[index], policy: verdict.policy,
                            name: "\(input)-\(index)", time: time)
                        guard tracks.count > 1 else {
                            figures.write(to: &html)
                            continue
                        }
                        html.element(
                            "details", ["class": "track", "open": index == 0 ? "open" : nil]
                        ) { html in
                            html.element("summary") {
                                $0.element("bdi", TrackTitle.of(track, number: index + 1))
                            }
                            figures.write(to: &html)
                        }
                    }
                    if tracks.count > maximumPlottedTrackCount {
                        html.element(
                            "p", ["class": "lead"],
                            "The first \(maximumPlottedTrackCount) of \(tracks.count) renditions are drawn.")
                    }
                }
            }
            CheckList(verdict: verdict, input: input).write(to: &html)
            TagTable(tracks: tracks, input: input).write(to: &html)
        }
    }

    /// Returns the end of the plots' time axis, in seconds of media.
    private static func end(of report: HealthReport) -> Double {
        var end = report.verdict.duration
        for track in report.tracks {
            if let last = track.segments.last { end = max(end, last.position + last.duration) }
            for tag in track.tags { end = max(end, tag.position) }
        }
        return end
    }
}
