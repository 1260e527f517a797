import NielsenID3
import StreamHealth
import TextForms

/// The renditions of one input side by side: their tags on a common time axis, and their statistics.
struct RenditionsSideBySide {
    let tracks: [RenditionTrack]
    let analyses: [TrackAnalysis]
    /// The index of the input on the page.
    let input: Int
    let time: PlotAxis

    /// The maximum number of lanes in the drawing; the table lists every rendition.
    static let maximumLaneCount = 24

    func write(to html: inout HTMLWriter) {
        html.element("section", ["class": "renditions"]) { html in
            html.element("h2", "Renditions side by side")
            html.element("figure", ["class": "chart"]) { html in
                html.element("figcaption") { html in
                    html.element("strong", "Nielsen tags by rendition")
                    let most =
                        tracks.count > Self.maximumLaneCount
                        ? " The first \(Self.maximumLaneCount) are plotted." : ""
                    html.element(
                        "span",
                        "Numbers as in the table below. Tags with a problem have the color of its severity."
                            + most)
                }
                writeLanes(to: &html)
            }
            writeTable(to: &html)
        }
    }

    private func writeLanes(to html: inout HTMLWriter) {
        let shown = tracks.prefix(Self.maximumLaneCount)
        let frame = PlotFrame(
            track: "\(input)-0", time: time, height: shown.count * 24 + 8,
            label: "Tags of \(tracks.count) renditions over media time")
        let middles = shown.indices.map { Double($0 * 24 + 16) }
        frame.write(
            to: &html, labels: zip(middles, 1...).map { (y: $0, text: String($1)) }
        ) { html in
            for (track, middle) in zip(shown, middles) {
                html.element("g", ["class": "lane k-data"]) { html in
                    TagTimeline.writeMarks(
                        track.tags.enumerated().map { (tag: $0.offset, position: $0.element.position) },
                        of: track, noun: "Nielsen", to: &html, time, at: middle, coloursProblems: true)
                }
            }
        }
    }

    private func writeTable(to html: inout HTMLWriter) {
        html.element(
            "div", ["class": "table", "tabindex": "0", "role": "region", "aria-label": "Renditions"]
        ) { html in
            html.element("table") { html in
                html.element("thead") { html in
                    html.element("tr") { html in
                        html.markup(
                            "<th scope=\"col\" class=\"number\">#</th><th scope=\"col\">Rendition</th>")
                        for heading in [
                            "Segments", "DATA", "INFO", "Other", "Median spacing", "Widest", "With a problem",
                        ] {
                            html.element("th", ["scope": "col", "class": "number"], heading)
                        }
                    }
                }
                html.element("tbody") { html in
                    for (index, (track, analysis)) in zip(tracks, analyses).enumerated() {
                        writeRow(index + 1, track, analysis, to: &html)
                    }
                }
            }
        }
    }

    private func writeRow(
        _ number: Int, _ track: RenditionTrack, _ analysis: TrackAnalysis, to html: inout HTMLWriter
    ) {
        let data = track.tags.count { $0.kind == .data }
        let info = track.tags.count { $0.kind == .info }
        func seconds(_ value: Double?) -> String {
            value.map { DecimalText.fixed($0, decimals: 1) + " s" } ?? "–"
        }
        html.element("tr") { html in
            html.element("td", ["class": "number"], String(number))
            html.element("td") { $0.element("bdi", track.title(number: number)) }
            for cell in [
                DecimalText.grouped(track.segmentCount), DecimalText.grouped(data), DecimalText.grouped(info),
                DecimalText.grouped(track.tags.count - data - info), seconds(analysis.medianSpacing),
                seconds(analysis.spacing.map(\.value).max()),
                DecimalText.grouped(track.tags.count { $0.severity > .pass }),
            ] {
                html.element("td", ["class": "number"], cell)
            }
        }
    }
}

extension RenditionTrack {
    /// Returns the title on a page: the URI, shortened in the middle, or the number if it has no URI.
    func title(number: Int) -> String {
        guard let name else { return "Rendition \(number)" }
        return TerminalText.shortened(PrintableText.of(name), Self.longestName)
    }
}
